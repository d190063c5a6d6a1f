import 'reflect-metadata';
import type { Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';

/** A command bus with these handlers, for specs that choose what the handlers work with. It needs no closing. */
export const busOver = async (...providers: readonly Provider[]): Promise<CommandBus> => {
  class HandlersModule {}
  const module = { module: HandlersModule, imports: [CqrsModule.forRoot()], providers: [...providers] };
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  return context.get(CommandBus, { strict: false });
};
