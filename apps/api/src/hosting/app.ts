import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import 'reflect-metadata';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { AccountingModule } from '#api/accounting/accounting.module.js';
import { AccountingHttpPolicy } from '#api/accounting/http-policy.js';
import { PastApplication } from '#api/as-of/past-application.js';
import { AuditModule } from '#api/audit/audit.module.js';
import { ConsoleModule } from '#api/console/console.module.js';
import { registerPage } from '#api/console/page.js';
import { MessagingHttpPolicy } from '#api/messaging/http-policy.js';
import { MessagingModule } from '#api/messaging/messaging.module.js';
import { setUpDocumentation } from '#api/operations/documentation.js';
import { FindingsNow } from '#api/operations/findings/findings-now.js';
import { Nodes } from '#api/operations/findings/nodes.js';
import { FindingsOfJobs } from '#api/operations/findings/verified.js';
import { MessagingNow } from '#api/operations/messaging/messaging-now.js';
import { registerMetrics } from '#api/operations/metrics/metrics.js';
import { OperationsModule } from '#api/operations/operations.module.js';
import { OperationsHttpPolicy } from '#api/ops-kit/http-policy.js';
import { requestedDocuments } from '#api/runtime/layers.js';
import type { Runtime } from '#api/runtime/runtime.js';
import { runtimeModule } from '#api/runtime/runtime.module.js';
import { createServices } from '#api/runtime/services.js';
import { AnswerRoom } from '#api/shared/answers/answer-room.js';
import { BodyIngress } from '#api/shared/bodies/body-ingress.js';
import { build } from '#api/shared/build.js';
import { endConnectionsOnClose } from '#api/shared/http/connections/closing-connections.js';
import { sendTogether } from '#api/shared/http/connections/sent-together.js';
import { disconnectStalled } from '#api/shared/http/connections/stalled-clients.js';
import { registerPositions } from '#api/shared/http/headers/position-header.js';
import { loggedPath } from '#api/shared/http/paths/logged-path.js';
import { publicUrl } from '#api/shared/http/paths/public-url.js';
import { registerReadings } from '#api/shared/http/readings.js';
import { elsewhereBy } from '#api/shared/http/role-elsewhere.js';
import { ClientAuthorities } from '#api/shared/http/tls/client-authorities.js';
import { ServerCertificate } from '#api/shared/http/tls/server-certificate.js';
import { exportSpans, traceIdOf } from '#api/shared/http/tracing.js';
import { requestIdOf, requestIds } from '#api/shared/logging/request-id.js';
import { StatusHttpPolicy } from '#api/status/http-policy.js';
import { StatusModule } from '#api/status/status.module.js';
import { SpanExporter } from '#infra/edges/telemetry/span-exporter.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { MemoryWatch } from '#infra/stores/read-store/store-memory.js';

@Module({})
class ApplicationModule {}

@Global()
@Module({})
class PastModule {}

/** For controllers that read the services as of the past. */
const pastModule = (past: PastApplication): DynamicModule => ({
  module: PastModule,
  providers: [{ provide: PastApplication, useValue: past }],
  exports: [PastApplication],
});

const bodiesOf = ({ bodyLimitBytes, bodyBudgetBytes, bodyTimeoutSeconds }: Configuration): BodyIngress =>
  new BodyIngress({ mostBytes: bodyLimitBytes, budgetBytes: bodyBudgetBytes, timeoutSeconds: bodyTimeoutSeconds });

/**
 * All services over a runtime, without HTTP, which {@link createApp} adds.
 * @param ownUrl public URL of this server, as far as it is known
 * @param past the same services as of the past
 */
export const applicationModule = (
  runtime: Runtime,
  ownUrl: () => string,
  past = new PastApplication(runtime, { bodies: bodiesOf(runtime.configuration), answers: new AnswerRoom(), ownUrl }),
): DynamicModule => ({
  module: ApplicationModule,
  imports: [
    runtimeModule(runtime, ownUrl),
    pastModule(past),
    MessagingModule,
    AccountingModule,
    StatusModule,
    OperationsModule,
    AuditModule,
    ...(runtime.configuration.console ? [ConsoleModule] : []),
  ],
});

/** Logs one line for each answer. */
const logAccess = (fastify: FastifyInstance, logger: Logger): void => {
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, id, ip } = request;
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10;
    logger.info(
      { requestId: id, ...traceIdOf(request), method, path: loggedPath(request), status: reply.statusCode, milliseconds, ip },
      'request',
    );
    done();
  });
};

/** Sends the last spans before the application closes. */
const sendSpans = (fastify: FastifyInstance, tracing: NonNullable<Configuration['tracing']>, log: Logger): void => {
  const { url, headers, serviceName, ratio } = tracing;
  const resource = { 'service.name': serviceName, 'service.version': build.version };
  const exporter = new SpanExporter({ url, headers, resource, log });
  exportSpans(fastify, exporter, ratio);
  fastify.addHook('onClose', () => exporter.close());
};

/** Shows this node to the others. */
const showNode = (app: NestFastifyApplication): void => {
  const fastify = app.getHttpAdapter().getInstance();
  const [nodes, findings] = [app.get(Nodes), app.get(FindingsNow)];
  fastify.addHook('onReady', async () => nodes.start(() => findings.ofNode()));
  fastify.addHook('onClose', () => nodes.stop());
};

/** The HTTP application over a runtime, not yet listening. Closing it does not close the runtime. */
export const createApp = async (opened: Runtime): Promise<NestFastifyApplication> => {
  const readStore = requestedDocuments(opened.readStore, opened.readModels);
  const { configuration, logger } = opened;
  const certificate = configuration.tls && (await ServerCertificate.open(configuration.tls, logger));
  const clientAuthorities = configuration.x509 && !opened.asOf && (await ClientAuthorities.open(configuration.x509, logger));
  const runtime = { ...opened, readStore, ...(certificate && { certificate }), ...(clientAuthorities && { clientAuthorities }) };
  const ownUrl = publicUrl(configuration, () => fastify.server.address());
  const bodies = bodiesOf(configuration);
  const newRequestId = requestIds();
  const answers = new AnswerRoom();
  const past = new PastApplication(runtime, { bodies, answers, ownUrl });
  const { app, fastify } = await createServices(runtime, {
    module: applicationModule(runtime, ownUrl, past),
    bodies,
    answers,
    ownUrl,
    requestId: (request) => requestIdOf(request, newRequestId),
    policies: (created) => ({
      services: [created.get(StatusHttpPolicy), created.get(MessagingHttpPolicy), created.get(AccountingHttpPolicy)],
      fallback: created.get(OperationsHttpPolicy),
    }),
    debts: opened.readModels,
    handOver: past.handOver,
    elsewhere: elsewhereBy(configuration.roles),
  });
  sendTogether(fastify);
  fastify.server.on('connection', (connection: Socket) => answers.connected(connection));
  disconnectStalled(fastify);
  endConnectionsOnClose(fastify, runtime.drain);
  if (certificate) {
    certificate.follow(fastify.server as Server); // with TLS it is a server of node:https
    fastify.addHook('onClose', async () => certificate.close());
  }
  if (clientAuthorities) fastify.addHook('onClose', async () => clientAuthorities.close());
  fastify.addHook('onClose', () => past.close());
  registerReadings(fastify, runtime);
  registerPositions(fastify, runtime.eventStore, configuration.eventStoreUrl === undefined);
  const counting = {
    messaging: app.get(MessagingNow),
    verified: app.get(FindingsOfJobs),
    memory: app.get(MemoryWatch),
    nodes: app.get(Nodes),
  };
  registerMetrics(fastify, runtime, bodies, counting);
  if (configuration.tracing) sendSpans(fastify, configuration.tracing, logger);
  if (configuration.accessLog) logAccess(fastify, logger);
  setUpDocumentation(app);
  if (configuration.console) registerPage(fastify, configuration);
  if (!runtime.asOf) showNode(app);
  return app;
};
