import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { documentPast } from '#api/as-of/documentation.js';
import { completeOperations } from './complete-documentation.js';

/** `/openapi.json`, and a page to browse it at `/docs`. */
export const setUpDocumentation = (app: NestFastifyApplication): void => {
  const description = new DocumentBuilder()
    .setTitle('Logbook')
    .setDescription('Messaging, accounting, and status & reporting of a research e-infrastructure, on one event log')
    .addApiKey({ type: 'apiKey', name: 'x-api-key', in: 'header' }, 'x-api-key')
    .addBearerAuth()
    .build();
  SwaggerModule.setup('docs', app, () => completeOperations(documentPast(SwaggerModule.createDocument(app, description))), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
  });
};
