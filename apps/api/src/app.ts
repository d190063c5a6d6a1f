import 'reflect-metadata';
import type { IncomingMessage } from 'node:http';
import { type ArgumentsHost, Catch, type DynamicModule, type ExceptionFilter, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { loggedPath } from '#api/shared/logging/logged-path.js';
import { nestLogger } from '#api/shared/logging/nest-logger.js';
import { requestIds } from '#api/shared/logging/request-id.js';
import type { Logger } from '#infra/logging/logger.js';
import { PartitionedReadStore } from '#infra/projection-runner/set-aside/partitioned-store.js';
import { AccountingModule } from './accounting/accounting.module.js';
import { AccountingHttpPolicy } from './accounting/http-policy.js';
import { AuditModule } from './audit/audit.module.js';
import { MessagingHttpPolicy } from './messaging/http-policy.js';
import { MessagingModule } from './messaging/messaging.module.js';
import { setUpDocumentation } from './operations/documentation.js';
import { OperationsHttpPolicy } from './operations/http-policy.js';
import { registerMetrics } from './operations/metrics.js';
import { OperationsModule } from './operations/operations.module.js';
import type { Runtime } from './runtime.js';
import { runtimeModule } from './runtime.module.js';
import { BodyIngress } from './shared/bodies/body-ingress.js';
import { AnswerAdapter } from './shared/http/answer.js';
import { answerClientError } from './shared/http/client-error.js';
import { endConnectionsOnClose } from './shared/http/closing-connections.js';
import { publicUrl, publicUrlOf } from './shared/http/public-url.js';
import { registerReadings } from './shared/http/readings.js';
import { routedUrl } from './shared/http/routed-url.js';
import { answerFailure, MAX_PARAMETER_LENGTH, routeServices } from './shared/http/service-routing.js';
import { todayBy } from './shared/http/today.js';
import { StatusHttpPolicy } from './status/http-policy.js';
import { StatusModule } from './status/status.module.js';

type Answer = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

@Catch()
class ServiceFilter implements ExceptionFilter {
  constructor(private readonly answer: Answer) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}

@Module({})
class ApplicationModule {}

/** All services over a runtime; HTTP is added by {@link createApp}. @param ownUrl where clients find this server, as far as it is known */
export const applicationModule = (runtime: Runtime, ownUrl: () => string): DynamicModule => ({
  module: ApplicationModule,
  imports: [runtimeModule(runtime, ownUrl), MessagingModule, AccountingModule, StatusModule, OperationsModule, AuditModule],
});

const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** One line for each answer. */
const logAccess = (fastify: FastifyInstance, logger: Logger): void => {
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, id, ip } = request;
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10;
    logger.info({ requestId: id, method, path: loggedPath(request), status: reply.statusCode, milliseconds, ip }, 'request');
    done();
  });
};

/** The HTTP application over a runtime, not yet listening. Closing it does not close the runtime. */
export const createApp = async (opened: Runtime): Promise<NestFastifyApplication> => {
  const readStore = new PartitionedReadStore(opened.readStore, opened.readModels);
  const runtime = { ...opened, readStore };
  const { configuration, logger } = runtime;
  const ownUrl = publicUrl(configuration, () => fastify.server.address());
  const bodies = new BodyIngress({
    mostBytes: configuration.bodyLimitBytes,
    budgetBytes: configuration.bodyBudgetBytes,
    timeoutSeconds: configuration.bodyTimeoutSeconds,
  });
  /** Known once the modules are there, before the first request. */
  const answer: Answer = (error, request, reply) => answerKnown(error, request, reply);

  const newRequestId = requestIds();

  const adapter = new AnswerAdapter({
    clientErrorHandler: answerClientError,
    exposeHeadRoutes: false,
    frameworkErrors: answer,
    http: { headersTimeout: configuration.bodyTimeoutSeconds * 1_000, connectionsCheckingInterval: 1_000 },
    genReqId: (request: IncomingMessage) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newRequestId();
    },
    requestIdHeader: false,
    return503OnClosing: false, // what arrives on open connections during a shutdown is served like the rest, and its connection closed
    rewriteUrl: ({ url = '/' }) => routedUrl(url),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    trustProxy: configuration.trustedProxies.length > 0 && [...configuration.trustedProxies],
  });
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  fastify.decorateRequest('publicUrl', {
    getter() {
      return publicUrlOf(this, configuration.publicUrl, ownUrl);
    },
  });
  fastify.decorate('clock', runtime.clock);
  fastify.decorate('credentialHashes', runtime.credentialHashes);
  fastify.decorate('today', todayBy(runtime.clock));
  const app = await NestFactory.create<NestFastifyApplication>(applicationModule(runtime, ownUrl), adapter, {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
  });
  app.useGlobalFilters(new ServiceFilter(answer));
  const policies = [app.get(StatusHttpPolicy), app.get(MessagingHttpPolicy), app.get(AccountingHttpPolicy)];
  const fallback = app.get(OperationsHttpPolicy);
  const answerKnown = answerFailure(policies, fallback, bodies);
  routeServices(fastify, policies, fallback, bodies);
  bodies.register(fastify);
  endConnectionsOnClose(fastify);
  registerReadings(fastify, runtime.readModels);
  registerMetrics(fastify, runtime, bodies);
  if (configuration.accessLog) logAccess(fastify, logger);
  setUpDocumentation(app);
  return app;
};
