/** Words that users give a topic or subscription, to find it by (messaging contract 7.4); keys in ascending order. */
export type Labels = Readonly<Record<string, string>>;

/** The bounds of labels (docs/limits.md). */
export const LABEL_LIMITS = {
  labelsPerResource: { value: 64, unit: 'labels' },
  labelValue: { value: 63, unit: 'characters' },
} as const;

const KEY = /^[a-z][a-z0-9_-]{0,62}$/;

/** Whether these may be the labels of a resource: how many there are, their keys, the length of their values. */
export const areLabels = (given: Readonly<Record<string, string>>): boolean => {
  const entries = Object.entries(given);
  const { labelsPerResource, labelValue } = LABEL_LIMITS;
  return entries.length <= labelsPerResource.value && entries.every(([key, value]) => KEY.test(key) && value.length <= labelValue.value);
};

/** The same labels with their keys in order. */
export const labelsInOrder = (labels: Labels): Labels => Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));

/** A label that lists are filtered by. */
export type WantedLabel = Readonly<{ key: string; value: string }>;

const WANTED = /^labels\.([a-z][a-z0-9_-]{0,62}):(.*)$/su;

/** What `labels.<key>:<value>` asks for; `undefined` if a text has another form. */
export const wantedLabel = (text: string): WantedLabel | undefined => {
  const [, key, value] = WANTED.exec(text) ?? [];
  return key === undefined || value === undefined ? undefined : { key, value };
};

/** Whether there is a label with this key and this very value. */
export const hasLabel = (labels: Labels | undefined, { key, value }: WantedLabel): boolean =>
  labels !== undefined && Object.hasOwn(labels, key) && labels[key] === value;
