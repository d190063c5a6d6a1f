import type { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { createApp } from '#api/hosting/app.js';
import { watchDescriptors } from '#api/hosting/start/descriptor-watch.js';
import { logProcessEvents } from '#api/hosting/start/process-events.js';
import { openRuntime, type Runtime } from '#api/runtime/runtime.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import { limitHeapGrowth } from '#infra/platform/program/heap-limit.js';
import { BACKLOG } from './from-threads.js';
import type { FromThread, ToThread } from './messages.js';
import { ThreadEdge } from './thread-edge.js';

/** Connection to the parent process. */
type MainProcess = Pick<NodeJS.Process, 'send' | 'on' | 'once' | 'stdout'>;

const LOOK_MS = 50;

const areLive = ({ readModels }: Runtime): boolean => readModels.names.every((name) => readModels.state(name) === 'live');

/** Runs until the main process ends it, or is gone. @returns the exit code */
export const runApiThread = (main: MainProcess): Promise<number> =>
  new Promise((resolve) => {
    const thread = new ApiThread(
      (message) => main.send?.(message),
      () => resolve(1), // the main process starts another one
    );
    for (const signal of ['SIGTERM', 'SIGINT'] as const) main.on(signal, () => undefined); // the main process decides on the end
    main.once('disconnect', () => resolve(1));
    main.on('message', (message, server) => {
      thread.receive(message as ToThread, server as Server | undefined).then(
        (isOver) => isOver && resolve(0),
        (error: unknown) => {
          createLogger('error', main.stdout).error({ err: error }, 'an API thread ended with an unexpected error');
          resolve(1);
        },
      );
    });
  });

class ApiThread {
  private runtime: Runtime | undefined;
  private app: NestFastifyApplication | undefined;
  private edge: ThreadEdge | undefined;

  constructor(
    private readonly send: (message: FromThread) => void,
    /** Ends the process, because a store cannot be used any more. */
    private readonly onStoreLost: () => void,
  ) {}

  /** @returns true for the last message */
  async receive(message: ToThread, server: Server | undefined): Promise<boolean> {
    switch (message.kind) {
      case 'begin':
        await this.begin(message);
        void this.runtime?.lost.then(() => this.onStoreLost());
        this.send({ kind: 'ready' });
        return false;
      case 'listen':
        if (message.draining) this.runtime?.drain.begin();
        await this.edge?.answer({ what: 'behind', is: message.behind });
        this.fastify?.server.listen(server, BACKLOG);
        return false;
      case 'ask':
        this.send({ kind: 'answer', id: message.id, result: (await this.edge?.answer(message.question)) ?? null });
        return false;
      case 'drain':
        this.runtime?.drain.begin();
        return false;
      case 'stop':
        await this.app?.close();
        this.edge?.close();
        await this.runtime?.close();
        return true;
    }
  }

  private get fastify(): FastifyInstance | undefined {
    return this.app?.getHttpAdapter().getInstance();
  }

  private async begin({ configuration, thread, door }: Extract<ToThread, { kind: 'begin' }>): Promise<void> {
    const logger = createLogger(configuration.logLevel, process.stdout, { thread });
    limitHeapGrowth();
    logProcessEvents(logger);
    watchDescriptors(logger);
    this.runtime = await openRuntime(configuration, logger, { isNode: true, isApiThread: true });
    this.runtime.readModels.start();
    this.runtime.erasing.start(false);
    this.edge = new ThreadEdge(door, this.runtime.erasing.keys);
    this.app = await createApp(this.runtime, { edge: this.edge });
    await this.app.init();
    await this.fastify?.ready();
    for (const { readStore } = this.runtime; !areLive(this.runtime); readStore.look?.()) await sleep(LOOK_MS);
  }
}
