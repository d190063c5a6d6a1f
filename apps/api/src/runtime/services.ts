import type { IncomingMessage } from 'node:http';
import { type ArgumentsHost, Catch, type DynamicModule, type ExceptionFilter } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerRoom } from '#api/shared/answers/answer-room.js';
import type { BodyIngress } from '#api/shared/bodies/body-ingress.js';
import { AnswerAdapter } from '#api/shared/http/answer.js';
import { answerClientError } from '#api/shared/http/connections/client-error.js';
import { LongCalls } from '#api/shared/http/long-calls.js';
import { publicUrlOf } from '#api/shared/http/paths/public-url.js';
import { routedUrl } from '#api/shared/http/paths/request-target.js';
import { NO_DEBTS } from '#api/shared/http/readings.js';
import type { FindRoleElsewhere } from '#api/shared/http/role-elsewhere.js';
import type { ServiceHttpPolicy } from '#api/shared/http/service-http-policy.js';
import { answerFailure, type HandOver, MAX_PARAMETER_LENGTH, routeServices } from '#api/shared/http/service-routing.js';
import { todayBy } from '#api/shared/http/today.js';
import { nestLogger } from '#api/shared/logging/nest-logger.js';
import type { Runtime } from './runtime.js';

type Answer = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

@Catch()
class ServiceFilter implements ExceptionFilter {
  constructor(private readonly answer: Answer) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}

/** Differences between the present application and that of the past. */
type ServicesOptions = Readonly<{
  module: DynamicModule;
  bodies: BodyIngress;
  answers: AnswerRoom;
  /** Base URL for clients, as far as it is known. */
  ownUrl: () => string;
  requestId: (request: IncomingMessage) => string;
  /** Policies of the services, and of all other paths; called once, after the modules are created. */
  policies: (app: NestFastifyApplication) => Readonly<{ services: readonly ServiceHttpPolicy[]; fallback: ServiceHttpPolicy }>;
  /** See the decoration of the server with this name. Default: none. */
  debts?: FastifyInstance['debts'];
  /** Takes over requests that belong elsewhere, before anything else. */
  handOver?: HandOver;
  /** Reason why this node does not answer a request. Default: it answers all. */
  elsewhere?: FindRoleElsewhere | undefined;
}>;

/** The services of a runtime behind HTTP: routes, admission, bodies, errors. Neither initialized nor listening. */
export const createServices = async (
  runtime: Pick<Runtime, 'configuration' | 'clock' | 'completeness' | 'credentialHashes' | 'logger' | 'certificate'>,
  { module, bodies, answers, ownUrl, requestId, policies, debts = NO_DEBTS, handOver, elsewhere }: ServicesOptions,
): Promise<Readonly<{ app: NestFastifyApplication; fastify: FastifyInstance }>> => {
  const { configuration, logger, certificate } = runtime;
  /** Known once the modules are created, before the first request. */
  const answer: Answer = (error, request, reply) => answerKnown(error, request, reply);
  const server = {
    headersTimeout: configuration.bodyTimeoutSeconds * 1_000,
    connectionsCheckingInterval: 1_000,
    requireHostHeader: false, // requests without a host are refused in the shape of their service
  };
  const adapter = new AnswerAdapter({
    clientErrorHandler: answerClientError,
    exposeHeadRoutes: false,
    skipMiddie: true, // Nest has no middleware here
    frameworkErrors: answer,
    ...(certificate ? { https: { ...server, handshakeTimeout: server.headersTimeout, ...certificate.serverOptions } } : { http: server }),
    genReqId: requestId,
    requestIdHeader: false,
    return503OnClosing: false, // requests on open connections during a shutdown are served like all others, and their connections closed
    rewriteUrl: ({ url = '/' }) => routedUrl(url),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    trustProxy: configuration.trustedProxies.length > 0 && [...configuration.trustedProxies],
  });
  const fastify = adapter.getInstance();
  fastify.server.maxHeadersCount = 0; // their size is limited; Node would ignore those beyond a number, such as the length of a body
  fastify.decorateRequest('publicUrl', {
    getter() {
      return publicUrlOf(this, configuration.publicUrl, ownUrl);
    },
  });
  fastify.decorateRequest('span', undefined);
  fastify.decorate('clock', runtime.clock);
  fastify.decorate('credentialHashes', runtime.credentialHashes);
  fastify.decorate('debts', debts);
  fastify.decorate('longCalls', new LongCalls(runtime));
  fastify.decorate('answers', answers);
  fastify.decorateRequest('sharedBy', '');
  fastify.decorateRequest('bodyMemory', undefined);
  fastify.decorateRequest('mayLookAgain', false);
  fastify.decorate('today', todayBy(runtime.clock));
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
  });
  app.useGlobalFilters(new ServiceFilter(answer));
  const { services, fallback } = policies(app);
  const answerKnown = answerFailure(services, fallback, bodies);
  routeServices(fastify, services, fallback, bodies, { handOver, elsewhere });
  bodies.register(fastify);
  return { app, fastify };
};
