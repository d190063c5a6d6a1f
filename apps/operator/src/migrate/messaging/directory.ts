import { isName } from '#api/messaging/names.js';
import { DocumentRefused } from '../migration.js';
import { type Fields, integerIn, nameIn, textIn } from '../read/fields.js';
import { derivedId } from '../write/event-ids.js';

const SAFE_ID = /^[\w.-]{1,128}$/;

/** The id of a project, user, schema or registration. @throws Refused, also for the format of 2016, which had none */
export const uuidIn = (fields: Fields): string => {
  const uuid = textIn(fields, 'uuid');
  if (uuid === '') throw new DocumentRefused('it has no uuid: this is the shape of releases before 1.0; update the original first');
  if (!SAFE_ID.test(uuid)) throw new DocumentRefused('its uuid has characters other than letters, digits, dots and dashes');
  return uuid;
};

/** A name that can be part of a path. @throws Refused */
export const pathNameIn = (fields: Fields): string => {
  const name = nameIn(fields, 'name');
  if (!isName(name)) throw new DocumentRefused('its name has characters other than letters, digits, - and _');
  return name;
};

/** Largest offset at which a topic can continue: message ids have at most 15 digits, even after many more messages. */
export const LAST_OFFSET = 10 ** 14;

/** An offset or a count of messages; 0 if it is missing. @throws Refused, WrongField */
export const offsetIn = (fields: Fields, name: string): number => {
  const offset = integerIn(fields, name, 0);
  if (offset < 0 || offset > LAST_OFFSET) throw new DocumentRefused(`${name} must be 0 to ${LAST_OFFSET}`);
  return offset;
};

/** Id of a topic or subscription, derived from project and name, because the original has none. */
export const resourceId = (kind: 'topic' | 'subscription', projectId: string, name: string): string =>
  derivedId('messaging', kind, projectId, name);

/** Facts about a topic. */
export type KnownTopic = {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  /** The offset of its next message. */
  next: number;
  /** Number of messages ever published to it. */
  readonly messages: number;
  readonly bytes: number;
  readonly lastPublish: string | null;
};

/** Ids and names that later collections refer to. */
export class Directory {
  /** Names of the projects taken over, by id. */
  readonly projects = new Map<string, string>();
  /** Ids of the users taken over. */
  readonly users = new Set<string>();
  /** Ids of users by name. */
  readonly userIds = new Map<string, string>();
  /** Hashes of tokens. */
  readonly tokens = new Set<string>();
  /** Number of users with a token of which only the hash is known. */
  hashedTokens = 0;
  /** Components that have an account, see `componentKey`. */
  readonly components = new Set<string>();
  /** Names of schemas that compile, by id. */
  readonly schemas = new Map<string, string>();
  /** By project id and name. */
  readonly topics = new Map<string, KnownTopic>();
  /** Ids of topics whose ACL the rules refuse. */
  readonly withoutAcl = new Set<string>();
  /** `_id` of the subscriptions that can be taken over, by project id and name; the smallest if several have one name. */
  readonly subscriptions = new Map<string, string>();
  /** Largest offset of these subscriptions of a topic, by project id and name. */
  readonly reached = new Map<string, number>();
  /** Next offsets of topics from Kafka, by project id and name; without them they are estimated. */
  offsets: ReadonlyMap<string, number> | undefined;

  /** The id in `project_uuid`. @throws Refused the project does not exist */
  projectIn(fields: Fields): string {
    const projectId = nameIn(fields, 'project_uuid');
    if (!this.projects.has(projectId)) throw new DocumentRefused('its project is not there');
    return projectId;
  }
}

export const topicKey = (projectId: string, name: string): string => `${projectId}/${name}`;
