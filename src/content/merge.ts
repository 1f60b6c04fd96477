/** Defines what a template can read about its recipient. */

/** All that templates see of one recipient of one mail, as plain data. */
export type MergeData = {
  readonly subscriber: SubscriberData;
  /** Null for mail that belongs to no list. */
  readonly list: NamedData | null;
  /** Null for mail that is part of no campaign. */
  readonly campaign: NamedData | null;
  readonly postalAddress: string | null;
  readonly urls: {
    readonly unsubscribe: string;
    readonly preferences: string;
    readonly view: string;
    /** A link's address is this followed by the link's number. */
    readonly linkBase: string;
    readonly pixel: string;
  };
  /** What a program gives for the variables of a template, by name. A value here goes before one of the same name above. */
  readonly variables?: NamedData;
};

/** A template may ask for any member; these stand in its scope by themselves too. */
type SubscriberData = {
  readonly email: string;
  readonly first_name?: unknown;
  readonly last_name?: unknown;
  readonly fields: NamedData;
} & NamedData;

type NamedData = { readonly [name: string]: unknown };

/** The names that a template may use; the names in `fields` are the account's own. */
type MergeScope = Readonly<Record<MergeName, unknown>>;

type MergeName =
  | "email"
  | "first_name"
  | "last_name"
  | "fields"
  | "subscriber"
  | "list"
  | "campaign"
  | "postal_address"
  | "unsubscribe_url"
  | "preferences_url"
  | "view_url";

export function toScope(data: MergeData): MergeScope {
  const { subscriber, list, campaign, postalAddress, urls, variables } = data;
  return {
    email: subscriber.email,
    first_name: subscriber.first_name,
    last_name: subscriber.last_name,
    fields: subscriber.fields,
    subscriber,
    list: list ?? {},
    campaign: campaign ?? {},
    postal_address: postalAddress,
    unsubscribe_url: urls.unsubscribe,
    preferences_url: urls.preferences,
    view_url: urls.view,
    ...variables,
  };
}
