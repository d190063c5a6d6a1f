/** User-defined labels of a topic or subscription (messaging contract 7.4), with keys in ascending order. */
export type Labels = Readonly<Record<string, string>>;

/** Limits of labels (docs/limits.md). */
export const LABEL_LIMITS = {
  labelsPerResource: { value: 64, unit: 'labels' },
  labelValue: { value: 63, unit: 'characters' },
} as const;

const KEY = /^[a-z][a-z0-9_-]{0,62}$/;

/** Whether the number, keys and lengths of the labels are valid. */
export const areLabels = (given: Readonly<Record<string, string>>): boolean => {
  const entries = Object.entries(given);
  const { labelsPerResource, labelValue } = LABEL_LIMITS;
  return entries.length <= labelsPerResource.value && entries.every(([key, value]) => KEY.test(key) && value.length <= labelValue.value);
};

/** The labels with their keys in ascending order. */
export const labelsInOrder = (labels: Labels): Labels => Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));

/** A label by which a list is filtered. */
export type WantedLabel = Readonly<{ key: string; value: string }>;

const WANTED = /^labels\.([a-z][a-z0-9_-]{0,62}):(.*)$/su;

/** Parses `labels.<key>:<value>`. `undefined` if the text has another form. */
export const wantedLabel = (text: string): WantedLabel | undefined => {
  const [, key, value] = WANTED.exec(text) ?? [];
  return key === undefined || value === undefined ? undefined : { key, value };
};

/** Whether there is a label with exactly this key and value. */
export const hasLabel = (labels: Labels | undefined, { key, value }: WantedLabel): boolean =>
  labels !== undefined && Object.hasOwn(labels, key) && labels[key] === value;
