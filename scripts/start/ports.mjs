// Ports are chosen first: a taken one is one clear line.
import net from 'node:net';
import { SetupError } from '../setup.mjs';

/**
 * Port to listen on: `given` if free, any for 0.
 *
 * @param label as in "a box"
 * @param name of the setting
 * @param taken ports already assigned
 */
export async function choosePort({ label, name, given, host, taken = [] }) {
  if (!Number.isInteger(given) || given < 0 || given > 65_535)
    throw new SetupError(`${name} must be a port from 0 to 65535.`);
  if (given !== 0 && taken.includes(given))
    throw new SetupError(`${name} is ${given}, and so is another port of the census: choose two.`);
  const server = net.createServer();
  try {
    return await new Promise((resolve, reject) => {
      server.once('error', (error) => {
        if (error.code === 'EADDRINUSE')
          reject(
            new SetupError(
              `Port ${given} is in use by another program, perhaps by ${label} that runs already. Stop that one, or choose another: ${name}=${given + 10} npm start`,
            ),
          );
        else if (error.code === 'EACCES')
          reject(
            new SetupError(
              `Port ${given} needs rights that this user does not have. Choose another: ${name}=${given + 4000} npm start`,
            ),
          );
        // Wrong host: the server reports it itself.
        else resolve(given);
      });
      server.listen(given, host, () => resolve(server.address().port));
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
