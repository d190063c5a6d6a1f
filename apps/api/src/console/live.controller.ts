import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get } from '#api/ops-kit/route.js';
import { Answer } from '#api/shared/http/answer.js';
import { Credentials } from '#api/shared/openapi/security.js';
import { NO_CONSOLE, OVERVIEW } from './documentation.js';
import { LiveStream, TooManyViewers } from './live.js';

/** Live state of the installation (console contract 3). */
@ApiTags('console')
@Credentials('operationsKey')
@Controller('console/live')
export class LiveController {
  constructor(private readonly live: LiveStream) {}

  @Get('', {
    id: 'watchOverview',
    summary: 'State of the installation, as server-sent events',
    description: 'An event every second, each with the whole state. Ends with the session or key.',
    answers: {
      200: OVERVIEW,
      401: PROBLEM('there is no session, and no key of the operations service in the header x-api-key'),
      404: NO_CONSOLE,
      503: PROBLEM('too many watch already'),
    },
  })
  watch(@Call() { request, reply }: OpsCall): Answer {
    const { operator, method, server } = request;
    const options = { type: 'text/event-stream; charset=utf-8', headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' } };
    if (method === 'HEAD') return new Answer('', options);
    try {
      return new Answer(this.live.watch(operator?.keyId ?? '', server.longCalls.follow(request, reply)), options);
    } catch (error) {
      throw error instanceof TooManyViewers ? new Problem(503, error.message) : error;
    }
  }
}
