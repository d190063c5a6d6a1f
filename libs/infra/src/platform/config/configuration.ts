import { oldSpaceLimit } from '#infra/platform/program/heap-limit.js';
import { accessSettings } from './sections/access.js';
import { accountingSettings } from './sections/accounting.js';
import { bodyLimits, givenLimits, httpSettings } from './sections/http.js';
import { messagingSettings } from './sections/messaging.js';
import { givenRoles, nodeSettings, rolesOf } from './sections/node.js';
import { statusSettings } from './sections/status.js';
import { storeSettings } from './sections/stores.js';
import { tracingSettings } from './sections/tracing.js';
import { readAll, variablesOf } from './variables.js';

export { NODE_ROLES, type NodeRole, rolesIn } from './sections/node.js';
export type { ConfiguredMetricSource } from './sections/status.js';

/** Each section declares its settings, with their environment variables and the defaults of docs/running/settings.md. */
const SETTINGS = {
  ...httpSettings,
  ...storeSettings,
  ...accessSettings,
  ...messagingSettings,
  ...accountingSettings,
  ...statusSettings,
  ...nodeSettings,
};

/** Names of all variables that a section declares, but for those of OpenTelemetry. */
export const KNOWN_VARIABLES = [SETTINGS, givenLimits, givenRoles].flatMap(variablesOf);

/** Names every invalid variable and what it must be. */
export class InvalidConfiguration extends Error {
  override readonly name = 'InvalidConfiguration';
  constructor(
    message: string,
    readonly variables: readonly string[],
  ) {
    super(message);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const settingsIn = (environment: Environment, refuse: (variable: string, must: string) => void) => {
  const settings = readAll({ ...SETTINGS, ...tracingSettings }, environment, refuse);
  return {
    ...settings,
    ...bodyLimits(readAll(givenLimits, environment, refuse), oldSpaceLimit()),
    ...rolesOf(readAll(givenRoles, environment, refuse)),
  };
};

export type Configuration = Readonly<ReturnType<typeof settingsIn>>;

/**
 * Reads the configuration from environment variables. An empty variable counts as unset.
 * @throws InvalidConfiguration that names every invalid variable, never a value
 */
export const loadConfiguration = (environment: Environment): Configuration => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  /** The first requirement that each variable does not meet. */
  const problems = new Map<string, string>();
  const settings = settingsIn(given, (variable, must) => {
    if (!problems.has(variable)) problems.set(variable, must);
  });
  if (problems.size === 0) return settings;
  const lines = [...problems].map(([variable, must]) => `${variable} ${must}`);
  throw new InvalidConfiguration(`wrong configuration: ${lines.join('; ')}`, [...problems.keys()]);
};
