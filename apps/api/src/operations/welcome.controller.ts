import { Controller, Inject, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { open } from '#api/ops-kit/route.js';
import { Answer } from '#api/shared/http/answer.js';
import { acceptedType } from '#api/shared/http/headers/accepted-type.js';
import { pathPrefixBy } from '#api/shared/http/paths/path-prefix.js';
import { answer } from '#api/shared/openapi/described.js';
import { CONFIGURATION } from '#api/shared/tokens.js';
import { bounded, component } from '#domain/shared/shape.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { build } from '#infra/platform/program/build.js';

/** Entry points of this server. */
const PLACES = {
  console: '/console',
  documentation: '/docs',
  guides: '/guides/',
  openapi: '/openapi.json',
  health: '/health',
  messaging: '/v1',
  accounting: '/accounting-system',
  status: '/api/v2',
  operations: '/ops',
  audit: '/audit',
} as const;

const LINKS = Object.fromEntries(Object.keys(PLACES).map((name) => [name === 'console' ? 'console?' : name, 'text' as const]));
const EXAMPLE = { service: 'logbook', version: '1.0.0', links: PLACES };
const WELCOME = component('Welcome', bounded({ service: 'text', version: 'text', links: LINKS }, { example: EXAMPLE })).shownAs(EXAMPLE);

/** The root of the server: redirects browsers to the console, and answers the entry points to all other clients. */
@ApiTags('health')
@Controller()
export class WelcomeController {
  private readonly prefixOf: (request: FastifyRequest) => string;

  constructor(@Inject(CONFIGURATION) private readonly configuration: Configuration) {
    this.prefixOf = pathPrefixBy(configuration);
  }

  @open.Get('', {
    id: 'getWelcome',
    summary: 'Where everything begins; leads browsers to the console',
    answers: {
      200: answer(WELCOME, EXAMPLE),
      302: { description: 'the caller prefers a page', headers: { location: { description: 'the console', schema: { type: 'string' } } } },
    },
  })
  show(@Req() request: FastifyRequest): Answer {
    const prefix = this.prefixOf(request);
    const hasConsole = this.configuration.console;
    const prefersPage = acceptedType(request.headers.accept, ['application/json', 'text/html']) === 'text/html';
    if (prefersPage && hasConsole)
      return new Answer('', { status: 302, headers: { location: `${prefix}${PLACES.console}` }, vary: 'Accept' });
    const links = Object.entries(PLACES).flatMap(([name, path]) => (name === 'console' && !hasConsole ? [] : [[name, `${prefix}${path}`]]));
    const body = { service: 'logbook', version: build.version, links: Object.fromEntries(links) };
    return new Answer(JSON.stringify(body), { type: 'application/json; charset=utf-8', vary: 'Accept' });
  }
}
