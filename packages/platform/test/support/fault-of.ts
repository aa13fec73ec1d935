import { expect } from 'chai'

/** What a call was refused with. */
export async function faultOf<Fault extends Error>(call: Promise<unknown>): Promise<Fault> {
  return await call.then(
    () => expect.fail('it did not fail'),
    (error: Fault) => error,
  )
}
