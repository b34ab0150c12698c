import type { Verb } from './connection';

/** `image:path`: announces a photograph; the answer says where to go on from. */
export const imagePath: Verb<'image:path'> = async (context, _connection, message) => {
  const { uploadId, offset, complete } = await context.intake.announce(message);
  return { uploadId, offset, complete };
};
