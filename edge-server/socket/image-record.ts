import type { Verb } from './connection';
import { bringerOn } from './connection';
import { takeOp } from './take-op';

const takeWithBytes = takeOp<'image:record'>('image');

/**
 * `image:record`: the record of a photograph whose bytes are here, whole; or `{op, receipt}` with the cloud's receipt for it in
 * place of the bytes, where a tablet has freed them (protocol, "Receipts and keys").
 *
 * @throws ReefError as `Intake.takeOp` and `Intake.takeVouched`
 */
export const imageRecord: Verb<'image:record'> = async (context, connection, message, attachment) => {
  if (message.receipt === undefined) return takeWithBytes(context, connection, message, attachment);
  const receipt = await context.intake.acceptVouchedOp(
    message,
    { ...bringerOn(connection), kind: 'image' },
    context.reference.cloudKeys(),
  );
  context.time.commit(context.clock());
  return { receipt };
};
