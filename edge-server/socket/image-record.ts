import type { SocketHandler } from './connection';
import { submitterOf } from './connection';
import { opHandler } from './op-handler';

const acceptWithBytes = opHandler<'image:record'>('image');

/**
 * `image:record`: accepts the record of a photograph with complete bytes, or `{op, receipt}` with the cloud's receipt
 * if a tablet has freed them (protocol, "Receipts and keys").
 *
 * @throws ReefError as `Intake.acceptOp` and `Intake.acceptVouchedOp`
 */
export const imageRecord: SocketHandler<'image:record'> = async (context, connection, message, attachment) => {
  if (message.receipt === undefined) return acceptWithBytes(context, connection, message, attachment);
  const receipt = await context.intake.acceptVouchedOp(
    message,
    { ...submitterOf(connection), kind: 'image' },
    context.reference.cloudKeys(),
  );
  context.time.commit(context.clock());
  return { receipt };
};
