import { jest } from '@jest/globals';

// These tests meet disks, sockets and other processes, on machines that may be busy: what fails is told, and tried once more.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
