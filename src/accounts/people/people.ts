/** People have an address and a password, once for the whole instance, whatever accounts they belong to. */
export { emailFaults, emailKey, isEmail, refuseBadEmail } from "./email.ts";
export { createPasswords, isOutdated, type Passwords, passwordFault } from "./passwords.ts";
export {
  deleteLonePerson,
  findOrAddPerson,
  findPerson,
  findPersonByEmail,
  forgetSignIn,
  forgetSignInOfNobody,
  holdPassword,
  isSomebody,
  lockPerson,
  type PersonRow,
  recordSignIn,
  replaceEmail,
  replacePassword,
  type Standing,
  standing,
} from "./person-store.ts";
