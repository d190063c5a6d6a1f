import { token } from '#api/shared/tokens.js';
import type { Project } from '#domain/accounting/catalogue/catalogue-events.js';
import type { Logger } from '#infra/platform/logging/logger.js';

/** Result of the external catalogue for an id; `unavailable`: it could not be reached. */
export type FoundProject = Project | 'unknown' | 'unavailable';

/** The external catalogue of projects (accounting contract 9). */
export interface ExternalProjectCatalogue {
  /** By id, in the given order. */
  findAll(ids: readonly string[]): Promise<ReadonlyMap<string, FoundProject>>;
  /** Resolves with whether it has a project of this id; `false` if it cannot be reached. */
  knows(id: string): Promise<boolean>;
}

/** Injection token. */
export const EXTERNAL_PROJECT_CATALOGUE = token<ExternalProjectCatalogue>('ExternalProjectCatalogue');

const TIME_LIMIT_MS = 10_000;
const AT_A_TIME = 8;
/** Levels of the answer that are searched for the project element. */
const DEEPEST = 12;

const MEMBERS = ['code', 'acronym', 'title', 'startdate', 'enddate', 'callidentifier'] as const;

/** A text, or an object that holds it under `$` (the catalogue converts XML). Missing texts are empty. */
const textOf = (value: unknown): string => {
  if (typeof value === 'string' || typeof value === 'number') return `${value}`;
  return typeof value === 'object' && value !== null && '$' in value ? textOf(value.$) : '';
};

type Element = Readonly<Record<string, unknown>>;

/** The first object with members of a project, anywhere in the results. */
const projectElement = (value: unknown, depth = 0): Element | undefined => {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return undefined;
  const element = value as Element;
  if (MEMBERS.some((member) => textOf(element[member]) !== '')) return element;
  for (const child of Object.values(element)) {
    const found = projectElement(child, depth + 1);
    if (found) return found;
  }
  return undefined;
};

/** The project in an answer of the catalogue; `undefined` if there is none. */
const projectIn = (answer: unknown): Project | undefined => {
  const response = (answer as Readonly<{ response?: Readonly<{ results?: unknown }> }> | null)?.response;
  const element = projectElement(response?.results);
  if (!element) return undefined;
  return {
    acronym: textOf(element.acronym),
    title: textOf(element.title),
    start_date: textOf(element.startdate),
    end_date: textOf(element.enddate),
    call_identifier: textOf(element.callidentifier),
  };
};

/** The catalogue at a URL; without a URL, every id is unknown. */
export class HttpProjectCatalogue implements ExternalProjectCatalogue {
  constructor(
    private readonly url: string | undefined,
    private readonly logger: Logger,
  ) {}

  async findAll(ids: readonly string[]): Promise<ReadonlyMap<string, FoundProject>> {
    const found = new Map<string, FoundProject>(ids.map((id) => [id, 'unknown']));
    const waiting = ids.values();
    const work = async (): Promise<void> => {
      for (const id of waiting) found.set(id, await this.find(id));
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return found;
  }

  async knows(id: string): Promise<boolean> {
    return typeof (await this.find(id)) === 'object';
  }

  private async find(id: string): Promise<FoundProject> {
    if (this.url === undefined || id === '') return 'unknown';
    try {
      const query = new URLSearchParams({ grantID: id, format: 'json' });
      const answer = await fetch(`${this.url.replace(/\/+$/, '')}/search/projects?${query}`, {
        signal: AbortSignal.timeout(TIME_LIMIT_MS),
      });
      if (answer.status === 404) return 'unknown';
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return projectIn(await answer.json()) ?? 'unknown';
    } catch (error) {
      this.logger.warn({ err: error }, 'the catalogue of projects cannot be asked');
      return 'unavailable';
    }
  }
}
