import type { SocketHandler } from './connection';
import { submitterOf } from './connection';
import { opHandler } from './op-handler';

const acceptWithBytes = opHandler<'image:record'>('image');

/**
 * `image:record`: the record of a photograph whose bytes are here, whole; or `{op, receipt}` with the cloud's receipt for it in
 * place of the bytes, where a tablet has freed them (protocol, "Receipts and keys").
 *
 * @throws ReefError as `Intake.takeOp` and `Intake.takeVouched`
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
