import { ApiError } from './client.js';
import { currentSession } from './session.js';

/** Loads a file of the program that is not needed at first. @throws ApiError */
export const loadLater = async <T>(load: () => Promise<T>): Promise<T> => {
  try {
    return await load();
  } catch {
    throw new ApiError(0, 'A part of this page could not be loaded', 'The connection to the server was lost, or the server was updated.');
  }
};

/**
 * The same once more. Browsers may remember a failed load for as long as a page is open, and an updated server no longer has the file: then the page itself
 * is loaded again, if the server can be reached.
 * @throws ApiError
 */
export const loadAgain = async <T>(load: () => Promise<T>): Promise<T> => {
  try {
    return await loadLater(load);
  } catch (error) {
    await currentSession();
    location.reload();
    throw error;
  }
};
