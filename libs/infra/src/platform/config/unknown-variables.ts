import leven from 'leven';
import { KNOWN_VARIABLES } from './configuration.js';
import { SECRET_VARIABLES } from './environment.js';

/** Of the commands: the server that they ask. */
const OF_COMMANDS = ['LOGBOOK_URL'];
/** Kubernetes sets these by itself in the containers beside services whose names begin with `logbook`; some are known by their values. */
const OF_KUBERNETES = /^LOGBOOK_(\w+_)?(SERVICE_(HOST|PORT)|PORT_\d+_)/;
const ADDRESS_OF_KUBERNETES = /^(tcp|udp|sctp):\/\//;
/** As many letters may differ from the name that was meant. */
const MOST_DIFFERENCES = 4;

/** Variables of earlier releases, by name: what to do now. */
const GONE: Readonly<Record<string, string>> = {
  LOGBOOK_API_THREADS: 'one process answers all requests of a node. Remove it; for more cores add nodes, see docs/running/nodes.md',
};

/** A variable that nothing reads. `text`: says so, with what to do or the name that it resembles, if there is one. */
type UnknownVariable = Readonly<{ variable: string; text: string }>;

const nearestTo = (variable: string, known: readonly string[]): string | undefined => {
  const [nearest] = known
    .map((name) => ({ name, differences: leven(variable.toUpperCase(), name) }))
    .sort((left, right) => left.differences - right.differences);
  return nearest && nearest.differences <= MOST_DIFFERENCES ? nearest.name : undefined;
};

/** Unknown variables with the prefix `LOGBOOK_`: misspelt, or of an earlier release. */
export const unknownVariables = (environment: Readonly<Record<string, string | undefined>>): readonly UnknownVariable[] => {
  const known = [...KNOWN_VARIABLES, ...OF_COMMANDS, ...SECRET_VARIABLES.map((name) => `${name}_FILE`)];
  const isOfKubernetes = (name: string): boolean => OF_KUBERNETES.test(name) || ADDRESS_OF_KUBERNETES.test(environment[name] ?? '');
  return Object.keys(environment)
    .filter((name) => /^LOGBOOK_/i.test(name) && !known.includes(name) && !isOfKubernetes(name))
    .map((variable) => ({ variable, text: textOf(variable, known) }));
};

const textOf = (variable: string, known: readonly string[]): string => {
  const instead = GONE[variable];
  if (instead !== undefined) return `${variable} is gone: ${instead}`;
  const meant = nearestTo(variable, known);
  return `${variable} is not a variable of Logbook${meant === undefined ? '' : `: did you mean ${meant}?`}`;
};
