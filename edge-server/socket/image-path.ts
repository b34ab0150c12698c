import type { SocketHandler } from './connection';

/** `image:path`: announces a photograph; the reply holds the offset to resume at. */
export const imagePath: SocketHandler<'image:path'> = async (context, connection, message) => {
  const { uploadId, offset, complete } = await context.intake.announce(message);
  if (connection.session !== null) context.senders.setSurvey(connection.session, message.surveyId);
  return { uploadId, offset, complete };
};
