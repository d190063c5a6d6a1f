import type { Feature } from '#api/shared/feature.js';
import { CertificateTokens } from './certificate-tokens.js';
import { CertificatesController } from './certificates.controller.js';

export const certificatesFeature: Feature = { controllers: [CertificatesController], providers: [CertificateTokens] };
