import { isName } from '#api/messaging/names.js';
import { DocumentRefused } from '../migration.js';
import { type Fields, integerIn, nameIn, textIn } from '../read/fields.js';
import { derivedId } from '../write/event-ids.js';

const SAFE_ID = /^[\w.-]{1,128}$/;

/** The id of a project, user, schema or registration. @throws Refused, also for the shape of 2016, which had none */
export const uuidIn = (fields: Fields): string => {
  const uuid = textIn(fields, 'uuid');
  if (uuid === '') throw new DocumentRefused('it has no uuid: this is the shape of releases before 1.0; update the original first');
  if (!SAFE_ID.test(uuid)) throw new DocumentRefused('its uuid has characters other than letters, digits, dots and dashes');
  return uuid;
};

/** A name that paths can have. @throws Refused */
export const pathNameIn = (fields: Fields): string => {
  const name = nameIn(fields, 'name');
  if (!isName(name)) throw new DocumentRefused('its name has characters other than letters, digits, - and _');
  return name;
};

/** A topic goes on there at most: ids of its messages have 15 digits at most, also after many more of them. */
export const LAST_OFFSET = 10 ** 14;

/** An offset, or a count of messages; 0 where it is missing. @throws Refused, WrongField */
export const offsetIn = (fields: Fields, name: string): number => {
  const offset = integerIn(fields, name, 0);
  if (offset < 0 || offset > LAST_OFFSET) throw new DocumentRefused(`${name} must be 0 to ${LAST_OFFSET}`);
  return offset;
};

/** A topic or subscription of the original: it had no id, so that it gets one that follows from project and name. */
export const resourceId = (kind: 'topic' | 'subscription', projectId: string, name: string): string =>
  derivedId('messaging', kind, projectId, name);

/** Facts about a topic. */
export type KnownTopic = {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  /** The offset of its next message. */
  next: number;
  /** Messages ever published to it. */
  readonly messages: number;
  readonly bytes: number;
  readonly lastPublish: string | null;
};

/** Ids and names that later collections refer to. */
export class Directory {
  /** Names of projects that were taken, by id. */
  readonly projects = new Map<string, string>();
  /** Ids of users that were taken. */
  readonly users = new Set<string>();
  /** Ids of users by name. */
  readonly userIds = new Map<string, string>();
  /** Hashes of tokens. */
  readonly tokens = new Set<string>();
  /** How many users have a token of which only the hash is known. */
  hashedTokens = 0;
  /** Components that have an account, see `componentKey`. */
  readonly components = new Set<string>();
  /** Names of schemas that compile, by id. */
  readonly schemas = new Map<string, string>();
  /** By project id and name. */
  readonly topics = new Map<string, KnownTopic>();
  /** Of the subscriptions that can be taken the `_id`, by project id and name: of several of one name the smallest. */
  readonly subscriptions = new Map<string, string>();
  /** The largest offset of these subscriptions of a topic, by project id and name. */
  readonly reached = new Map<string, number>();
  /** The user of the push server, who is left out. */
  pushWorker: string | undefined;

  /** The id in `project_uuid`. @throws Refused the project is not there */
  projectIn(fields: Fields): string {
    const projectId = nameIn(fields, 'project_uuid');
    if (!this.projects.has(projectId)) throw new DocumentRefused('its project is not there');
    return projectId;
  }
}

export const topicKey = (projectId: string, name: string): string => `${projectId}/${name}`;
