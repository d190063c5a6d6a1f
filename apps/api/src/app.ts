import 'reflect-metadata';
import type { IncomingMessage } from 'node:http';
import { type ArgumentsHost, Catch, type DynamicModule, type ExceptionFilter, Module } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TokenVerifier } from '#infra/oidc/token-verifier.js';
import { partitionedStore } from '#infra/projection-runner/partitioned-store.js';
import { ReadModels } from '#infra/projection-runner/read-models.js';
import { RebuildJobs } from '#infra/projection-runner/rebuild-jobs.js';
import { Eraser } from '#infra/secrets/eraser.js';
import { Pseudonyms } from '#infra/secrets/pseudonyms.js';
import { StreamProcessor } from '#infra/stream-processor/stream-processor.js';
import { AccountingAccess } from './accounting/access.js';
import { AccountingEdge } from './accounting/accounting-edge.js';
import { catalogueServices } from './accounting/catalogue-services.js';
import { accountingControllers } from './accounting/index.js';
import { usageServices } from './accounting/usage-services.js';
import { AccountingWriter } from './accounting/writer.js';
import { MessagingAccess } from './messaging/access.js';
import { messagingControllers } from './messaging/index.js';
import { messageProviders } from './messaging/message-providers.js';
import { MessagingEdge } from './messaging/messaging-edge.js';
import { pushProviders } from './messaging/push-providers.js';
import { setUpDocumentation } from './ops/documentation.js';
import { HealthController } from './ops/health.controller.js';
import { KeysController } from './ops/keys.controller.js';
import { registerMetrics } from './ops/metrics.js';
import { OpsEdge } from './ops/ops-edge.js';
import { PartitionOperator } from './ops/partition-operator.js';
import { ProjectionsController } from './ops/projections.controller.js';
import { RebuildsController } from './ops/rebuilds.controller.js';
import type { Runtime } from './runtime.js';
import { BodyIngress } from './shared/body-ingress.js';
import { answerClientError } from './shared/client-error.js';
import { answerFailure, MAX_PARAMETER_LENGTH, registerEdge } from './shared/edge.js';
import { loggedPath } from './shared/logged-path.js';
import { nestLogger } from './shared/nest-logger.js';
import { publicUrl, publicUrlOf } from './shared/public-url.js';
import { registerReadings } from './shared/readings.js';
import { requestIds } from './shared/request-id.js';
import { routedUrl } from './shared/routed-url.js';
import { StreamWriteHandler } from './shared/stream-write.js';
import { StreamWritesHandler } from './shared/stream-writes.js';
import { CLOCK, EVENT_STORE, READ_STORE } from './shared/tokens.js';
import { StatusAccess } from './status/access.js';
import { statusControllers } from './status/index.js';
import { StatusEdge } from './status/status-edge.js';

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
