import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { AccessVariables, accessSettings } from './sections/access.js';
import { AccountingVariables, accountingSettings } from './sections/accounting.js';
import { HttpVariables, httpSettings } from './sections/http.js';
import { MessagingVariables, messagingSettings } from './sections/messaging.js';
import { NodeVariables, nodeSettings } from './sections/node.js';
import { StatusVariables, statusSettings } from './sections/status.js';
import { StoreVariables, storeSettings } from './sections/stores.js';
import { TracingVariables, tracingSettings } from './sections/tracing.js';

export { NODE_ROLES, type NodeRole } from './sections/node.js';
export type { ConfiguredMetricSource } from './sections/status.js';

const SECTIONS = [HttpVariables, StoreVariables, AccessVariables, MessagingVariables, AccountingVariables, StatusVariables, NodeVariables];

/** Names of all variables that a section declares. */
export const KNOWN_VARIABLES: readonly string[] = [
  ...new Set(
    SECTIONS.flatMap((section) => getMetadataStorage().getTargetValidationMetadatas(section, '', false, false)).map(
      ({ propertyName }) => propertyName,
    ),
  ),
];

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

/** Reads variables section by section, and gathers what is wrong with them. An empty variable counts as unset. */
class VariableReader {
  private readonly given: Readonly<Record<string, string | undefined>>;
  private readonly problems: ValidationError[] = [];

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  }

  read<Variables extends object>(section: new () => Variables): Variables {
    const variables = plainToInstance(section, this.given, { exposeDefaultValues: true });
    this.problems.push(...validateSync(variables, { stopAtFirstError: true }));
    return variables;
  }

  /** To be called when all are read. @throws InvalidConfiguration */
  refuseInvalid(): void {
    if (this.problems.length === 0) return;
    const lines = this.problems.map(
      ({ property, constraints }) => `${property} ${Object.values(constraints ?? {})[0]?.replace(`${property} `, '')}`,
    );
    throw new InvalidConfiguration(
      `wrong configuration: ${lines.join('; ')}`,
      this.problems.map(({ property }) => property),
    );
  }
}

const readAll = (reader: VariableReader) => ({
  http: reader.read(HttpVariables),
  stores: reader.read(StoreVariables),
  access: reader.read(AccessVariables),
  messaging: reader.read(MessagingVariables),
  accounting: reader.read(AccountingVariables),
  status: reader.read(StatusVariables),
  node: reader.read(NodeVariables),
  tracing: reader.read(TracingVariables),
});

const settingsOf = ({ http, stores, access, messaging, accounting, status, node, tracing }: ReturnType<typeof readAll>) => {
  const storesAt = storeSettings(stores);
  return {
    ...httpSettings(http),
    ...storesAt,
    ...accessSettings(access),
    ...messagingSettings(messaging),
    ...accountingSettings(accounting),
    ...statusSettings(status),
    ...nodeSettings(node, storesAt),
    ...tracingSettings(tracing),
  };
};

/** Each section declares its environment variables, with the defaults of docs/operations.md, and their meaning to the program. */
export type Configuration = Readonly<ReturnType<typeof settingsOf>>;

/** Reads the configuration from environment variables. @throws InvalidConfiguration that names every invalid variable, never a value */
export const loadConfiguration = (environment: Readonly<Record<string, string | undefined>>): Configuration => {
  const reader = new VariableReader(environment);
  const variables = readAll(reader);
  reader.refuseInvalid();
  return settingsOf(variables);
};
