import { Controller, Headers } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { build } from '#api/shared/build.js';
import { Answer } from '#api/shared/http/answer.js';
import { doc, type Static } from '#domain/shared/shape.js';
import { wireText } from '#projections/status/layout.js';
import { negotiate } from './answers/accept.js';
import { json } from './answers/answers.js';
import { NARROW, XML_TYPE, xmlOf } from './answers/xml.js';
import { shownOf } from './openapi/envelopes.js';
import { showsInXmlToo } from './openapi/in-xml.js';
import { AnswersOptions, Get } from './route.js';

const RECORD = shownOf('StatusVersion', {
  release: ['text', '1.0.0'],
  commit: [doc('text', 'empty: not known'), ''],
  build_time: ['instant', '2026-03-01T12:00:00Z'],
  golang: [doc('text', 'version of the runtime'), 'v20.20.2'],
  compiler: ['text', 'node'],
  os: ['text', 'linux'],
  architecture: ['text', 'x64'],
});

/** Members in wire order (status extended contract 16). `golang` is the version of the runtime. */
const VERSION: Static<typeof RECORD> = {
  release: build.version,
  commit: build.commit,
  build_time: build.time,
  golang: process.version,
  compiler: 'node',
  os: process.platform,
  architecture: process.arch,
};

const JSON_TEXT = wireText(VERSION);
const inXml = (version: Readonly<Record<string, string>>): string =>
  xmlOf({ name: 'Version', content: Object.entries(version).map(([name, content]) => ({ name, content })) }, NARROW);
const XML_TEXT = inXml(VERSION);

/** Version of the program, for any caller (status extended contract 16). */
@AnswersOptions('The methods of the version')
@ApiTags('status: service')
@Controller('api/v2/version')
export class VersionController {
  @Get('', {
    id: 'getStatusVersion',
    summary: 'Which program runs here',
    who: 'everybody',
    answers: showsInXmlToo(RECORD, { example: inXml(RECORD.example as Readonly<Record<string, string>>) }),
  })
  show(@Headers('accept') accept?: string): Answer {
    return negotiate(accept) === 'xml' ? new Answer(XML_TEXT, { type: XML_TYPE }) : json(JSON_TEXT);
  }
}
