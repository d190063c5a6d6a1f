import { describe, expect, it } from '@jest/globals';
import { namesWith, spelledOut, wrongWords } from './vocabulary.js';

const vocabulary = {
  types: ['MetricProfileChanged', 'MetricProfileCreated', 'TenantRegistered', 'TopicCreated'],
  categories: ['messaging.resources', 'status.tenants'],
};

describe('Types and categories of a search', () => {
  it('are found by a part of their name', () => {
    expect(namesWith('profile', vocabulary.types)).toEqual(['MetricProfileChanged', 'MetricProfileCreated']);
    expect(namesWith('TopicCreated', vocabulary.types)).toEqual(['TopicCreated']);
    const query = new URLSearchParams('type=profile&type=tenant&category=resources&actor=a');
    expect(`${spelledOut(query, vocabulary)}`).toBe(
      'actor=a&type=MetricProfileChanged&type=MetricProfileCreated&type=TenantRegistered&category=messaging.resources',
    );
    expect(`${spelledOut(new URLSearchParams('type=nothing'), vocabulary)}`).toBe('type=nothing');
  });

  it('are said to be unknown beside those that are close', () => {
    expect(wrongWords('TopicCreatd, profile', 'type', vocabulary.types)).toBe(
      'No event of the log has the type TopicCreatd. Close to it: TopicCreated.',
    );
    expect(wrongWords('xyz', 'type', vocabulary.types)).toBe('No event of the log has the type xyz.');
    expect(wrongWords('s', 'category', vocabulary.categories, 1)).toBe(
      'Several have this in their name: messaging.resources, status.tenants.',
    );
    expect(wrongWords('', 'type', vocabulary.types)).toBe('');
  });

  it('are said to be too many if a call does not take them, those of all words together', () => {
    const types = Array.from({ length: 101 }, (_, index) => `Thing${index}${index < 60 ? 'Made' : 'Gone'}`);
    const tooMany = 'More than 100 types have this in their name: write more of it.';
    expect(wrongWords('thing', 'type', types)).toBe(tooMany);
    expect(wrongWords('made, gone', 'type', types)).toBe(tooMany);
    expect(wrongWords('made, thing1', 'type', types)).toBe('');
  });
});
