/** Which account this tab works with: whoever belongs to several says so with each request. Another tab may work with another. */
const KEY = "postrider.account";

let present = read();
let isOneOfSeveral = false;

/** A new tab begins with the account that was chosen last. */
function read(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

export const presentAccount = () => present;

/** Says which account it is, and whether whoever is signed in belongs to others too. */
export function chooseAccount(id: string | undefined, hasOthers = false): void {
  present = id;
  isOneOfSeveral = hasOthers;
  try {
    for (const storage of [sessionStorage, localStorage]) {
      if (id === undefined) storage.removeItem(KEY);
      else storage.setItem(KEY, id);
    }
  } catch {
    // Where the browser keeps nothing, the choice lasts as long as the page.
  }
}

/** Names the account, where there are several, in an address that is opened without headers: a stream, a frame, a download. */
export function ofAccount(address: string): string {
  if (present === undefined || !isOneOfSeveral) return address;
  return `${address}${address.includes("?") ? "&" : "?"}account=${present}`;
}
