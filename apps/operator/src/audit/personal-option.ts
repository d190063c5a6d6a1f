/** Option of commands that can show personal data; without a value it means `true`. Spread it into `option`. */
export const PERSONAL = [
  '--personal [flag]',
  'true or false: personal data in plain text, which is recorded; only from a running server',
] as const;

export type PersonalOption = Readonly<{ personal?: string | true }>;

/** Options with the value of `--personal` as text. */
export const withPersonal = <Options extends PersonalOption>({ personal, ...options }: Options) => ({
  ...options,
  ...(personal !== undefined && { personal: String(personal) }),
});
