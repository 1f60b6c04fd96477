import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { submissionOf } from "./submission.ts";

const URL = "https://mail.example.com/news";
const OFF = { submissionPort: undefined, submissionTlsPort: undefined, tlsCertFile: undefined };

describe("what a program has to know to submit mail", () => {
  it("is nothing where submission is off, or the machine chooses the port", () => {
    assert.equal(submissionOf(OFF, URL), null);
    assert.equal(submissionOf({ ...OFF, submissionPort: 0 }, URL), null);
  });

  it("is the host of the public address, the ports, and whether there is TLS", () => {
    assert.deepEqual(submissionOf({ ...OFF, submissionPort: 587 }, URL), {
      host: "mail.example.com",
      port: 587,
      tls_port: null,
      tls: false,
    });
    const settings = { submissionPort: 587, submissionTlsPort: 465, tlsCertFile: "/etc/tls/chain.pem" };
    assert.deepEqual(submissionOf(settings, URL), {
      host: "mail.example.com",
      port: 587,
      tls_port: 465,
      tls: true,
    });
  });
});
