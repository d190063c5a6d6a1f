import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountingError } from '#api/accounting/errors.js';
import { OwnTokens } from '#infra/edges/oidc/own-tokens.js';
import { type Application, openApplication } from '#test/support/application.js';
import { AccountingAccess } from './access.js';

describe('The caller of an answer under way', () => {
  let application: Application;
  let access: AccountingAccess;
  beforeAll(async () => {
    application = await openApplication();
    access = application.get(AccountingAccess);
  });
  afterAll(() => application.close());

  it('stays the same when its token expires, which no new call may use', async () => {
    const token = await application.get(OwnTokens).issue({ subject: 'ada', entitlements: [], lifetime: -3_600_000 });
    await expect(async () => access.authenticate(token)).rejects.toBeInstanceOf(AccountingError);
    expect((await access.recognize(token)).id).toBe('ada');
  });

  it('is refused when its key is unknown', () => expect(access.recognize('revoked')).rejects.toMatchObject({ statusCode: 401 }));
});
