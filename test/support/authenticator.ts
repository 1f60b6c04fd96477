/** Plays a device that holds passkeys (WebAuthn §6): enough of one to be good, and to be wrong in each way that matters. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

type Bytes = Buffer;
type Options = Readonly<Record<string, unknown>>;

/** What may be wrong with an answer. */
export type Wrongs = {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly isUnverified?: boolean;
  readonly counter?: number;
};

export type Authenticator = {
  readonly id: string;
  /** Answers a registration. */
  create(options: Options, wrongs?: Wrongs): Options;
  /** Answers a sign-in. */
  get(options: Options, wrongs?: Wrongs): Options;
};

export function createAuthenticator(origin: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credentialId = randomBytes(32);
  const id = credentialId.toString("base64url");
  let counter = 0;
  const host = new URL(origin).hostname;

  const clientData = (type: string, options: Options, wrongs: Wrongs) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: wrongs.challenge ?? options["challenge"],
        origin: wrongs.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const authData = (wrongs: Wrongs, attested: Bytes = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(wrongs.counter ?? ++counter);
    const flags = 0x01 | (wrongs.isUnverified ? 0 : 0x04) | (attested.length > 0 ? 0x40 : 0);
    return Buffer.concat([sha256(wrongs.rpId ?? host), Buffer.from([flags]), count, attested]);
  };
  const answer = (response: Readonly<Record<string, Bytes>>) => ({
    id,
    rawId: id,
    type: "public-key",
    clientExtensionResults: {},
    response: Object.fromEntries(
      Object.entries(response).map(([name, bytes]) => [name, bytes.toString("base64url")]),
    ),
  });
  return {
    id,
    create(options, wrongs = {}) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey(publicKey)]);
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        text("fmt"),
        text("none"),
        text("attStmt"),
        Buffer.from([0xa0]),
        text("authData"),
        bytes(authData(wrongs, attested)),
      ]);
      return answer({ clientDataJSON: clientData("webauthn.create", options, wrongs), attestationObject });
    },
    get(options, wrongs = {}) {
      const clientDataJSON = clientData("webauthn.get", options, wrongs);
      const authenticatorData = authData(wrongs);
      const signature = sign(privateKey, Buffer.concat([authenticatorData, sha256(clientDataJSON)]));
      return answer({ clientDataJSON, authenticatorData, signature });
    },
  };
}

function sha256(of: string | Bytes): Bytes {
  return createHash("sha256").update(of).digest();
}

function sign(key: KeyObject, data: Bytes): Bytes {
  return createSign("sha256").update(data).sign(key);
}

/** Writes CBOR (RFC 8949 §3.1) of what a passkey needs: short texts, and strings of bytes. */
function text(value: string): Bytes {
  return Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
}

function bytes(value: Bytes): Bytes {
  if (value.length < 256) return Buffer.concat([Buffer.from([0x58, value.length]), value]);
  return Buffer.concat([Buffer.from([0x59, value.length >> 8, value.length & 0xff]), value]);
}

/** A key on P-256 for ES256, as COSE writes it (RFC 9053 §7.1). */
function coseKey(key: KeyObject): Bytes {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  const [atX, atY] = [x, y].map((part) => bytes(Buffer.from(part, "base64url")));
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]);
  return Buffer.concat([head, Buffer.from([0x21]), atX ?? head, Buffer.from([0x22]), atY ?? head]);
}
