export const VERIFICATION = 'verification';
