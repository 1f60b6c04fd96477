export { signUpJob } from "./submitting/submitting.ts";
