import { Param } from '@nestjs/common';
import { setPosition } from '#api/shared/http/headers/position-header.js';
import type { Answers } from '#api/shared/openapi/described.js';
import type { Position } from '#domain/shared/events.js';
import type { Job } from '#infra/engine/jobs/job.js';
import { jobView } from '#infra/engine/jobs/job-run.js';
import type { Jobs } from '#infra/engine/jobs/jobs.js';
import type { OpsRole } from './http-policy.js';
import type { OpsCall } from './parameters.js';
import { Problem } from './problem.js';
import { Delete, Get } from './route.js';

/** Location of a job that was begun. */
export type JobLink = Readonly<{ id: string; href: string }>;

type JobId = Readonly<{ id: string }>;

type JobRoute = Readonly<{ id: string; summary: string; answers: Answers }>;

type JobCollectionOptions = Readonly<{
  /** Name of the kind of jobs. */
  kind: string;
  /** Path of the collection, such as `/ops/rebuilds`. */
  path: string;
  /** Name of a job in messages, such as `rebuild`. */
  noun: string;
  list: JobRoute;
  show: JobRoute;
  cancel: JobRoute & Readonly<{ who: readonly OpsRole[] }>;
}>;

/**
 * Base of the controller of a collection of jobs (operations contract 0), with the routes that list, show and cancel jobs. The controller adds
 * the POST that begins one, and answers it with `accepted`.
 */
export const jobCollection = ({ kind, path, noun, list, show, cancel }: JobCollectionOptions) => {
  abstract class JobCollection {
    constructor(protected readonly jobs: Jobs) {}

    @Get(path, list)
    list(): Promise<object> {
      return this.listed();
    }

    @Get(`${path}/:id`, show)
    show(@Param() { id }: JobId): Promise<object> {
      return this.view(id);
    }

    /** The job is `cancelled` soon. */
    @Delete(`${path}/:id`, cancel)
    async cancel(@Param() { id }: JobId): Promise<JobLink> {
      await this.end(id);
      return { id, href: `${path}/${id}` };
    }

    /** The answer to the POST, with `Location` and `Logbook-Position`. @param position of the event that records the request */
    protected accepted({ reply }: OpsCall, id: string, position: Position): JobLink {
      const href = `${path}/${id}`;
      setPosition(reply, position);
      reply.header('location', href);
      return { id, href };
    }

    /** The answer to GET of the collection. A controller may add members. */
    protected async listed(): Promise<object> {
      return { items: (await this.jobs.list(kind)).map(jobView) };
    }

    /** @throws Problem 404 */
    protected async view(id: string): Promise<object> {
      return jobView(await this.find(id));
    }

    /** @throws Problem 404; 409 if it has ended */
    protected async end(id: string): Promise<void> {
      await this.find(id);
      if (!(await this.jobs.cancel(kind, id))) throw new Problem(409, `the ${noun} has ended`);
    }

    private async find(id: string): Promise<Job> {
      const job = await this.jobs.get(kind, id);
      if (!job) throw new Problem(404, `there is no ${noun} with this id`);
      return job;
    }
  }
  return JobCollection;
};
