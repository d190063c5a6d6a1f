import 'reflect-metadata';
import type { IncomingMessage } from 'node:http';
import { type ArgumentsHost, Catch, type DynamicModule, type ExceptionFilter, Module } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccountingAccess } from '#api/accounting/access/access.js';
import { AccountingEdge } from '#api/accounting/accounting-edge.js';
import { catalogueServices } from '#api/accounting/catalogue/catalogue-services.js';
import { accountingControllers } from '#api/accounting/index.js';
import { usageServices } from '#api/accounting/metrics/usage-services.js';
import { AccountingWriter } from '#api/accounting/writer.js';
import { MessagingAccess } from '#api/messaging/access.js';
import { messagingControllers } from '#api/messaging/index.js';
import { messageProviders } from '#api/messaging/messages/message-providers.js';
import { MessagingEdge } from '#api/messaging/messaging-edge.js';
import { pushProviders } from '#api/messaging/push/push-providers.js';
import { setUpDocumentation } from '#api/operations/documentation.js';
import { HealthController } from '#api/operations/health.controller.js';
import { KeysController } from '#api/operations/keys.controller.js';
import { registerMetrics } from '#api/operations/metrics.js';
import { OpsEdge } from '#api/operations/ops-edge.js';
import { PartitionOperator } from '#api/operations/partition-operator.js';
import { ProjectionsController } from '#api/operations/projections.controller.js';
import { RebuildsController } from '#api/operations/rebuilds.controller.js';
import { BodyIngress } from '#api/shared/bodies/body-ingress.js';
import { StreamWriteHandler } from '#api/shared/commands/stream-write.js';
import { StreamWritesHandler } from '#api/shared/commands/stream-writes.js';
import { answerClientError } from '#api/shared/http/client-error.js';
import { answerFailure, MAX_PARAMETER_LENGTH, registerEdge } from '#api/shared/http/edge.js';
import { loggedPath } from '#api/shared/http/logged-path.js';
import { nestLogger } from '#api/shared/http/nest-logger.js';
import { publicUrl, publicUrlOf } from '#api/shared/http/public-url.js';
import { registerReadings } from '#api/shared/http/readings.js';
import { requestIds } from '#api/shared/http/request-id.js';
import { routedUrl } from '#api/shared/http/routed-url.js';
import { CLOCK, EVENT_STORE, READ_STORE } from '#api/shared/tokens.js';
import { StatusAccess } from '#api/status/access.js';
import { statusControllers } from '#api/status/index.js';
import { StatusEdge } from '#api/status/status-edge.js';
import { TokenVerifier } from '#infra/oidc/token-verifier.js';
import { partitionedStore } from '#infra/projection-runner/partitioned-store.js';
import { ReadModels } from '#infra/projection-runner/read-models.js';
import { RebuildJobs } from '#infra/projection-runner/rebuild-jobs.js';
import { Eraser } from '#infra/secrets/eraser.js';
import { Pseudonyms } from '#infra/secrets/pseudonyms.js';
import { StreamProcessor } from '#infra/stream-processor/stream-processor.js';
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

@Module({})
class AppModule {
  static over(runtime: Runtime, answer: Answer): DynamicModule {
    const { clock, eventStore, readStore, processor, pseudonyms, readModels, eraser, rebuildJobs } = runtime;
    return {
      module: AppModule,
      imports: [CqrsModule.forRoot()],
      controllers: [
        ...messagingControllers,
        ...accountingControllers,
        ...statusControllers,
        KeysController,
        ProjectionsController,
        RebuildsController,
        HealthController,
      ],
      providers: [
        { provide: CLOCK, useValue: clock },
        { provide: EVENT_STORE, useValue: eventStore },
        { provide: READ_STORE, useValue: readStore },
        { provide: StreamProcessor, useValue: processor },
        { provide: Pseudonyms, useValue: pseudonyms },
        { provide: ReadModels, useValue: readModels },
        { provide: Eraser, useValue: eraser },
        { provide: RebuildJobs, useValue: rebuildJobs },
        { provide: PartitionOperator, useValue: new PartitionOperator({ processor, readModels }) },
        { provide: APP_FILTER, useValue: new ServiceFilter(answer) },
        ...messageProviders(runtime),
        ...pushProviders(runtime),
        ...catalogueServices(runtime),
        ...usageServices,
        AccountingWriter,
        StreamWriteHandler,
        StreamWritesHandler,
      ],
    };
  }
}

const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The HTTP application over a runtime, not yet listening. Closing it does not close the runtime. */
export const createApp = async (opened: Runtime): Promise<NestFastifyApplication> => {
  const readStore = partitionedStore(opened.readStore, opened.readModels);
  const runtime = { ...opened, readStore };
  const { configuration, logger, completeness, clock } = runtime;
  const access = new StatusAccess(readStore, completeness);
  const messagingAccess = new MessagingAccess(readStore, completeness);
  const accountingAccess = new AccountingAccess({
    store: readStore,
    completeness,
    tokens: new TokenVerifier(runtime.ownTokens, clock, configuration.oidcAudiences),
    issuers: configuration.oidcIssuers,
    scheme: { namespace: configuration.entitlementNamespace, parent: configuration.entitlementParent },
  });
  const opsEdge = new OpsEdge(readStore, completeness, logger);
  const ownUrl = publicUrl(configuration, () => fastify.server.address());
  const edges = [
    new StatusEdge(access, logger, configuration.corsOrigins.status),
    new MessagingEdge(messagingAccess, logger, configuration.corsOrigins.messaging),
    new AccountingEdge(accountingAccess, logger, ownUrl, configuration.corsOrigins.accounting, configuration.amsListenerSecrets),
  ];
  const bodies = new BodyIngress({
    mostBytes: configuration.bodyLimitBytes,
    budgetBytes: configuration.bodyBudgetBytes,
    timeoutSeconds: configuration.bodyTimeoutSeconds,
  });
  const answer = answerFailure(edges, opsEdge, bodies);
  const newRequestId = requestIds();

  const adapter = new FastifyAdapter({
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
  registerEdge(fastify, edges, opsEdge, bodies);
  bodies.register(fastify);
  registerReadings(fastify, runtime.readModels);
  registerMetrics(fastify, runtime, bodies);
  fastify.addHook('onClose', (_instance, done) => {
    access.close();
    messagingAccess.close();
    accountingAccess.close();
    opsEdge.close();
    done();
  });
  if (configuration.accessLog) {
    fastify.addHook('onResponse', (request, reply, done) => {
      const { method, id, ip } = request;
      logger.info(
        {
          requestId: id,
          method,
          path: loggedPath(request),
          status: reply.statusCode,
          milliseconds: Math.round(reply.elapsedTime * 10) / 10,
          ip,
        },
        'request',
      );
      done();
    });
  }

  const app = await NestFactory.create<NestFastifyApplication>(AppModule.over(runtime, answer), adapter, {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
  });
  setUpDocumentation(app);
  return app;
};
