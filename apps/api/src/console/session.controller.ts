import { Controller, Inject, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { COOKIE, type ConsoleSessions } from '#api/ops-kit/console-sessions.js';
import type { OpsRole } from '#api/ops-kit/http-policy.js';
import { OpsKeys } from '#api/ops-kit/ops-keys.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { open } from '#api/ops-kit/route.js';
import { StrictBody, StrictQuery } from '#api/ops-kit/strict-input.js';
import { membersOf, text } from '#api/ops-kit/strict-members.js';
import { pathPrefixBy } from '#api/shared/http/paths/path-prefix.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { CONFIGURATION } from '#api/shared/tokens.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { NO_CONSOLE, SESSION } from './documentation.js';
import { SignInLimit } from './sign-in-limit.js';

class SignInBody extends membersOf({
  key: text(1_000, { description: 'a key of the operations service', example: 'b1946ac92492d2347c6235b4d2611184' }),
}) {}

/** A page of another site can make a browser send a form, but cannot hide its origin. This prevents a sign-in under somebody else's key. */
const isForeign = ({ headers }: FastifyRequest): boolean =>
  !['same-origin', 'none', undefined].includes(headers['sec-fetch-site'] as string);

/** Sign-in and sign-out of the console (console contract 2). Sessions are valid only with the header `x-logbook-console: 1`. */
@ApiTags('console')
@Controller('console/session')
export class SessionController {
  private readonly prefixOf: (request: FastifyRequest) => string;
  private readonly isPublicByHttps: boolean;
  private readonly limit = new SignInLimit();

  constructor(
    private readonly keys: OpsKeys,
    @Inject(CONFIGURATION) configuration: Configuration,
  ) {
    this.prefixOf = pathPrefixBy(configuration);
    this.isPublicByHttps = configuration.publicUrl?.startsWith('https:') === true;
  }

  @open.Get('', {
    id: 'getSession',
    summary: 'Who is signed in to the console',
    answers: { 200: SESSION, 400: PROBLEM('there is a parameter'), 404: NO_CONSOLE },
  })
  async show(@StrictQuery() _query: object, @Req() { headers }: FastifyRequest): Promise<Answered<typeof SESSION>> {
    const session = await this.sessions.of(headers);
    const key = session && (await this.keys.ofSession(session));
    if (!key) return { session: null };
    const { keyId, name, roles } = key;
    return { session: { key: keyId, name, roles: roles as readonly OpsRole[], endsAt: new Date(session.endsAt).toISOString() } };
  }

  @open.Post('', {
    id: 'signIn',
    summary: 'Signs in to the console',
    description: 'The cookie holds no key, ends with the browser, with the key, and after 12 hours.',
    repeatable: false,
    limit: 'form',
    answers: {
      204: {
        description: 'signed in',
        headers: { 'Set-Cookie': { description: 'the session, for calls with `x-logbook-console: 1`', schema: { type: 'string' } } },
      },
      400: PROBLEM('a member is missing, unknown, or no text'),
      401: PROBLEM('there is no such key of the operations service'),
      403: PROBLEM('a page of another site asks'),
      404: NO_CONSOLE,
      429: PROBLEM('ten wrong keys came from this address within a minute; with `Retry-After`'),
      503: PROBLEM('the read models cannot be asked now'),
    },
  })
  async begin(
    @Call() { request, reply }: OpsCall,
    @StrictQuery() _query: object,
    @StrictBody(SignInBody) { key: text }: SignInBody,
  ): Promise<void> {
    if (isForeign(request)) throw new Problem(403, 'a page of another site cannot sign in here');
    const seconds = this.limit.begin(request.ip);
    if (seconds > 0) {
      reply.header('retry-after', String(seconds));
      throw new Problem(429, `too many wrong keys came from ${request.ip}: try again in ${seconds} s`);
    }
    const key = await this.keys.ofText(text).catch((error: unknown) => {
      this.limit.takeBack(request.ip);
      throw error;
    });
    if (!key) throw new Problem(401, 'there is no such key of the operations service');
    this.limit.takeBack(request.ip);
    this.setCookie(request, reply, await this.sessions.begin(key));
  }

  @open.Delete('', {
    id: 'signOut',
    summary: 'Signs out of the console',
    answers: {
      204: { description: 'the session has ended' },
      400: PROBLEM('there is a parameter'),
      404: NO_CONSOLE,
      503: PROBLEM('the read models cannot be asked now'),
    },
  })
  async end(@Call() { request, reply }: OpsCall, @StrictQuery() _query: object): Promise<void> {
    await this.sessions.end(request.headers);
    this.setCookie(request, reply, '', '; Max-Age=0');
  }

  /** Paths of the services need the cookie too, for reads as of the past. */
  private setCookie(request: FastifyRequest, reply: FastifyReply, token: string, more = ''): void {
    const path = this.prefixOf(request) || '/';
    const secure = request.protocol === 'https' || this.isPublicByHttps ? '; Secure' : '';
    reply
      .header('set-cookie', `${COOKIE}=${token}; Path=${path}; HttpOnly; SameSite=Strict${secure}${more}`)
      .header('cache-control', 'no-store');
  }

  /** A server without a console does not have this controller. */
  private get sessions(): ConsoleSessions {
    const { sessions } = this.keys;
    if (!sessions) throw new Problem(404, 'there is no console here');
    return sessions;
  }
}
