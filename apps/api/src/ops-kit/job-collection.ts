import type { FastifyReply } from 'fastify';
import { setPosition } from '#api/shared/http/headers/position-header.js';
import type { Position } from '#domain/shared/events.js';
import type { Job } from '#infra/engine/jobs/job.js';
import { jobView } from '#infra/engine/jobs/job-run.js';
import type { Jobs } from '#infra/engine/jobs/jobs.js';
import { Problem } from './problem.js';

/** Location of a job that was begun. */
export type JobLink = Readonly<{ id: string; href: string }>;

type JobCollectionOptions = Readonly<{
  /** Name of the kind of jobs. */
  kind: string;
  /** Path of the collection, such as `/ops/rebuilds`. */
  path: string;
  /** Name of a job in messages, such as `rebuild`. */
  noun: string;
  /** View of a job. Default: the members that all jobs have, then its details. */
  view?: (job: Job) => object;
}>;

/**
 * Answers of the routes of a collection of jobs (operations contract 0): `accepted` for the POST that begins one, `list` for GET of the
 * collection, `show` and `cancel` for GET and DELETE of a job.
 */
export class JobCollection {
  constructor(
    private readonly jobs: Jobs,
    private readonly options: JobCollectionOptions,
  ) {}

  href(id: string): string {
    return `${this.options.path}/${id}`;
  }

  /** Answers 202 with `Location` and `Logbook-Position`. @param position of the event that records the request */
  accepted(reply: FastifyReply, id: string, position: Position): JobLink {
    const href = this.href(id);
    setPosition(reply, position);
    reply.code(202).header('location', href);
    return { id, href };
  }

  async list(): Promise<Readonly<{ items: readonly object[] }>> {
    return { items: (await this.jobs.list(this.options.kind)).map((job) => this.view(job)) };
  }

  async has(id: string): Promise<boolean> {
    return (await this.jobs.get(this.options.kind, id)) !== null;
  }

  /** @throws Problem 404 */
  async show(id: string): Promise<object> {
    return this.view(await this.find(id));
  }

  /** Answers 202; the job is `cancelled` soon. @throws Problem 404; 409 if it has ended */
  async cancel(id: string, reply: FastifyReply): Promise<JobLink> {
    await this.find(id);
    if (!(await this.jobs.cancel(this.options.kind, id))) throw new Problem(409, `the ${this.options.noun} has ended`);
    reply.code(202);
    return { id, href: this.href(id) };
  }

  private async find(id: string): Promise<Job> {
    const job = await this.jobs.get(this.options.kind, id);
    if (!job) throw new Problem(404, `there is no ${this.options.noun} with this id`);
    return job;
  }

  private view(job: Job): object {
    return (this.options.view ?? jobView)(job);
  }
}
