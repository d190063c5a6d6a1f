/** A filter over the attributes of messages (messaging contract 7.3). */
export type Filter =
  | Readonly<{ kind: 'has'; key: string }>
  | Readonly<{ kind: 'equals'; key: string; value: string }>
  | Readonly<{ kind: 'prefix'; key: string; value: string }>
  | Readonly<{ kind: 'not'; of: Filter }>
  | Readonly<{ kind: 'all' | 'any'; of: readonly Filter[] }>;

export type Attributes = Readonly<Record<string, string>>;

const attributeOf = (attributes: Attributes | undefined, key: string): string | undefined =>
  attributes !== undefined && Object.hasOwn(attributes, key) ? attributes[key] : undefined;

/** Whether a message matches. `attributes`: `undefined` if the message has none. */
export const matches = (filter: Filter, attributes: Attributes | undefined): boolean => {
  switch (filter.kind) {
    case 'has':
      return attributeOf(attributes, filter.key) !== undefined;
    case 'equals':
      return attributeOf(attributes, filter.key) === filter.value;
    case 'prefix':
      return attributeOf(attributes, filter.key)?.startsWith(filter.value) ?? false;
    case 'not':
      return !matches(filter.of, attributes);
    case 'all':
      return filter.of.every((one) => matches(one, attributes));
    case 'any':
      return filter.of.some((one) => matches(one, attributes));
  }
};
