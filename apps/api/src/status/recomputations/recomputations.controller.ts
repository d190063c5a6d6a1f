import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type ReceivedBody, readLargeBody, type Shape } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { parameter } from '#api/shared/openapi/described.js';
import { created, done, json, one, rootedListOfPages } from '#api/status/answers/answers.js';
import * as errors from '#api/status/errors.js';
import { refers, says } from '#api/status/openapi/envelopes.js';
import { Call, type StatusCall, type WithId } from '#api/status/parameters.js';
import { OPERATORS, READERS, routesWith, StatusController } from '#api/status/route.js';
import { isDay } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type RecomputationDocument, type RecomputationId, RecomputationQueries } from '#projections/status/recomputations/queries.js';
import {
  DeleteRecomputation,
  RequestRecomputation,
  ResetRecomputationStatus,
  ReviseRecomputation,
  SetRecomputationStatus,
  type SubmittedRequest,
} from './commands.js';
import { LISTS_RECOMPUTATIONS, SHOWS_RECOMPUTATION, SUBMITTED } from './openapi.js';
import { PARAMETERS, RequestToCreate, recomputationBody, statusBody } from './recomputation-body.js';

const PATH = 'api/v2/recomputations';

const DONE = {
  submit: 'Recomputations successfully created',
  update: 'Recomputation updated successfully',
  delete: 'Recomputation Successfully Deleted',
  changeStatus: (status: string) => `Recomputation status updated successfully to: ${status}`,
  resetStatus: 'Recomputation status reset successfully to: pending',
} as const;

/** `E400R` */
const badDate = (): errors.StatusError => errors.badRequest('date argument should be in the YYYY-MM-DD format');

const { Delete, Get, Post, Put } = routesWith({ who: OPERATORS });

/** Requests to recompute results, and their status (status contract 11). */
@StatusController(PATH, 'status: recomputations')
export class RecomputationsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly queries: RecomputationQueries,
  ) {}

  @Get('', {
    id: 'listRecomputations',
    summary: 'The requests, by the time of their status',
    who: READERS,
    query: {
      report: parameter('text', 'Only requests for the report of this name'),
      date: parameter('day', 'Only requests whose days include this one, YYYY-MM-DD'),
    },
    errors: [badDate()],
    answers: LISTS_RECOMPUTATIONS,
  })
  async list(@Call() { tenantId, queryText }: StatusCall): Promise<Answer> {
    const report = queryText('report');
    const day = queryText('date');
    if (day && !isDay(day)) throw badDate();
    return json(rootedListOfPages(() => this.queries.list(tenantId, { day, report }, new TimeSlice())));
  }

  @Get(':id', { id: 'getRecomputation', summary: 'One request', who: READERS, answers: SHOWS_RECOMPUTATION })
  async get(@Call() { tenantId }: StatusCall, @Param() { id }: WithId): Promise<Answer> {
    return json(one(await this.recomputation({ tenantId, id })));
  }

  @Post('', {
    id: 'submitRecomputation',
    summary: 'Requests a recomputation: by a JSON body, or by parameters of a form or of the query',
    query: PARAMETERS,
    body: recomputationBody,
    example: SUBMITTED,
    answers: refers(201, DONE.submit, PATH),
  })
  submit(@Call() { context, tenantId, self }: StatusCall, @RequestToCreate() request: SubmittedRequest): Promise<Answer> {
    return created(this.bus.execute(new RequestRecomputation(context, { tenantId, request })), DONE.submit, self);
  }

  @Put(':id', {
    id: 'updateRecomputation',
    summary: 'Replaces a request; its status and history stay, and so do lists of exclusions that are left out',
    body: recomputationBody,
    example: SUBMITTED,
    answers: says(DONE.update),
  })
  async update(@Call() { context, tenantId, body }: StatusCall, @Param() { id }: WithId): Promise<Answer> {
    const request = await this.readFor({ tenantId, id }, recomputationBody, body);
    return done(this.bus.execute(new ReviseRecomputation(context, { tenantId, id, request })), DONE.update);
  }

  @Delete(':id', { id: 'deleteRecomputation', summary: 'Deletes a request', answers: says(DONE.delete) })
  delete(@Call() { context, tenantId }: StatusCall, @Param() { id }: WithId): Promise<Answer> {
    return done(this.bus.execute(new DeleteRecomputation(context, { tenantId, id })), DONE.delete);
  }

  @Post(':id/status', {
    id: 'changeRecomputationStatus',
    summary: 'Sets the status of a request: pending, approved, rejected, running or done',
    body: statusBody,
    example: { status: 'approved' },
    answers: says(DONE.changeStatus('approved')),
  })
  async changeStatus(@Call() { context, tenantId, body }: StatusCall, @Param() { id }: WithId): Promise<Answer> {
    const { status } = await this.readFor({ tenantId, id }, statusBody, body);
    return done(this.bus.execute(new SetRecomputationStatus(context, { tenantId, id, status })), DONE.changeStatus(status));
  }

  @Delete(':id/status', {
    id: 'resetRecomputationStatus',
    summary: 'Sets the status of a request back to pending',
    answers: says(DONE.resetStatus),
  })
  resetStatus(@Call() { context, tenantId }: StatusCall, @Param() { id }: WithId): Promise<Answer> {
    return done(this.bus.execute(new ResetRecomputationStatus(context, { tenantId, id })), DONE.resetStatus);
  }

  /** @throws StatusError `E404` */
  private async recomputation(id: RecomputationId): Promise<RecomputationDocument> {
    const found = await this.queries.recomputation(id);
    if (!found) throw errors.notFound();
    return found;
  }

  /** Reads the body of a call on a recomputation. @throws StatusError `E404` for a malformed body if it is unknown, else MalformedJson */
  private async readFor<T>(id: RecomputationId, shape: Shape<T>, body: ReceivedBody | undefined): Promise<T> {
    try {
      return await readLargeBody(shape, body);
    } catch (error) {
      if (error instanceof MalformedJson) await this.recomputation(id);
      throw error;
    }
  }
}
