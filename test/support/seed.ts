/**
 * Property tests draw the same cases in every run, so that a change is judged by what it changed. `npm test -- --seed
 * random` draws others on purpose, and what they show is made into a test of its own.
 */
import fc from "fast-check";

const given = process.env["TEST_SEED"] ?? "1";
const seed = given === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(given);
if (given === "random") console.log(`property tests of this process: --seed ${seed}`);
fc.configureGlobal({ seed });
