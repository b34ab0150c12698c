/** Path of the console's pages, and scope of its cookies. */
export const CONSOLE_PATH = '/console';
