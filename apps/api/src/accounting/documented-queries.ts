/** Query parameters for the OpenAPI document. */
export const PAGE_QUERY = { name: 'page', required: false, schema: { type: 'integer', minimum: 1, default: 1 } } as const;
export const SIZE_QUERY = { name: 'size', required: false, schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 } } as const;
export const EXTERNAL_ID_QUERY = { name: 'externalId', required: true } as const;
export const EXTERNAL_PROVIDER_QUERY = { name: 'externalProviderId', required: true, description: 'or externalId' } as const;
