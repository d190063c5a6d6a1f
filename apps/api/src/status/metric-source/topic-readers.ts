import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';
import { SHORT_SCHEMA } from '#infra/edges/schemas/validation/message-validator.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { SchemaQueries, schemaIn } from '#projections/messaging/resources/schema-queries.js';
import { type AvroReaders, avroReadersOf } from './metric-message.js';

/** Maximum number of schemas whose readers are cached. */
const MOST_SCHEMAS = 16;

/** Readers of Avro data by topic: they use the schema of the topic if it has one. */
@Injectable()
export class TopicReaders {
  private readonly compiled = new LRUCache<string, Readonly<{ stored: Buffer; readers: AvroReaders }>>({ max: MOST_SCHEMAS });

  constructor(
    private readonly resources: ResourceQueries,
    private readonly schemas: SchemaQueries,
  ) {}

  async of(projectId: string, topicId: string): Promise<AvroReaders> {
    const topic = await this.resources.topicById(projectId, topicId);
    const stored = topic?.schemaId ? await this.schemas.storedById(projectId, topic.schemaId) : null;
    if (!topic?.schemaId || !stored) return avroReadersOf(undefined);
    const known = this.compiled.get(topic.schemaId);
    if (known?.stored.equals(stored)) return known.readers;
    const readers = this.compile(stored);
    this.compiled.set(topic.schemaId, { stored, readers });
    return readers;
  }

  /** A schema for anything other than records does not apply to metric data, nor does a long one, which would block the event loop. */
  private compile(stored: Buffer): AvroReaders {
    if (stored.length > SHORT_SCHEMA) return avroReadersOf(undefined);
    const { type, document } = schemaIn(stored);
    try {
      return avroReadersOf(type === 'avro' ? document : undefined);
    } catch (error) {
      if (error instanceof SchemaInvalid) return avroReadersOf(undefined);
      throw error;
    }
  }
}
