import { existsSync, readFileSync } from 'node:fs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { builtFile } from '#api/shared/build.js';

const PATH = '/openapi.json';

const NOTHING = Buffer.from('{"openapi":"3.1.0","info":{"title":"Logbook, not built","version":"0"},"paths":{}}');

/** The description of the API is made with the build; tests of sources have none. */
const description = (): Buffer => {
  const file = builtFile('openapi.json');
  return existsSync(file) ? readFileSync(file) : NOTHING;
};

/** `/openapi.json`, and a page to browse and to try it at `/docs`. */
export const setUpDocumentation = (app: NestFastifyApplication): void => {
  const fastify = app.getHttpAdapter().getInstance();
  const bytes = description();
  fastify.get(PATH, (_request: unknown, reply: FastifyReply) => reply.type('application/json; charset=utf-8').send(bytes));
  const page = { openapi: '3.1.0', info: { title: 'Logbook', version: '' }, paths: {} };
  SwaggerModule.setup('docs', app, page, { raw: false, swaggerOptions: { url: PATH }, customSiteTitle: 'Logbook' });
};
