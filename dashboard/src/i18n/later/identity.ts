import { addWords } from "../add-words.ts";

/** What is asked of somebody to prove who they are: the second step of a sign-in, and a confirmation later. */
export const identity = {
  problem: {
    passkey_stopped: "No passkey was given. Try again, or take another way.",
    passkey_known: "This device has a passkey of yours already.",
    passkeys_unavailable: "Passkeys need a host name, and this service is reached by an address of numbers.",
    password_sign_in_off: "Passwords and passkeys are switched off here. Sign in with your provider.",
    sso_off: "This service has no single sign-on.",
    sso_unavailable: "Your provider gives no answer. Try again in a while.",
    sso_expired:
      "This sign-in took too long, was used already, or was begun in another browser. Begin again.",
    sso_refused: "Your provider didn't let you in, or its answer couldn't be trusted. Begin again.",
    sso_not_a_member:
      "Your provider knows you, but you belong to no account here. Ask somebody of the account to invite you.",
  },
  identity: {
    secondTitle: "One more step",
    secondLead: "Your password is right. Now prove that it is you.",
    code: "Code",
    codeHint: "Six digits, from your authenticator app.",
    recoveryCode: "Recovery code",
    recoveryHint: "One of the ten that you kept. Each is good once.",
    useCode: "Use a code of the app",
    useRecovery: "Use a recovery code",
    usePassword: "Use the password",
    usePasskey: "Use a passkey",
    passkeySignIn: "Sign in with a passkey",
    startAgain: "Start again",
    lost: "Lost all of them? Whoever runs this server removes your factors by",
    wrong: "The code is wrong, or was used already. Wait for the next one.",
    expired: "This took too long, or too many codes were wrong. Start again.",
    confirmTitle: "Confirm that it is you",
    confirmLead:
      "What you are about to do matters, so it asks once more. After that it doesn't for 15 minutes.",
    confirm: "Confirm",
  },
  entrance: {
    createAccount: "Create an account",
    byInvitation: "You come here by invitation: ask somebody of an account, or whoever runs this service.",
  },
  sso: {
    signIn: "Sign in with {{name}}",
    accept: "Accept with {{name}}",
    confirm: "Confirm with {{name}}",
    confirmHint: "You come back to this page, and do it once more then.",
    againHint: "You come back to this page. What you typed and didn't save is lost.",
    or: "or",
    only: "People sign in here with {{name}}.",
    goingOn: "Signing you in",
    failedTitle: "You aren't signed in",
    back: "Back to signing in",
  },
};

addWords(identity);
