import { differentOptions } from '../processes/config-digest.ts'
import { listProcesses, type ProcessRecord } from '../processes/process-record.ts'
import { type Check, type Finding, ok, warning } from './check.ts'

/** Whether all processes of the store are alike. */
export const processesAlike: Check = {
  id: 'processes',
  when: 'doctor',
  run: async ({ store }) =>
    store === undefined ? [] : compareProcesses(await listProcesses(store)),
}

export function compareProcesses(
  processes: readonly Pick<ProcessRecord, 'hostname' | 'kids' | 'options' | 'pid' | 'version'>[],
): Finding[] {
  const [first, ...others] = processes
  if (first === undefined) return []
  const name = ({ hostname, pid }: typeof first): string => `${hostname} (${pid})`
  const findings = others.flatMap((other) => {
    const pair = `${name(first)} and ${name(other)}`
    const options = differentOptions(first.options, other.options)
    return [
      ...(first.version === other.version
        ? []
        : [
            warning(
              `${pair} run different versions: ${first.version} and ${other.version}.`,
              'Finish the update.',
            ),
          ]),
      ...(first.kids.join() === other.kids.join()
        ? []
        : [
            warning(
              `${pair} have different sealing keys: ${first.kids.join(', ')} and ${other.kids.join(', ')}.`,
              'Give both the same keys in the same order, and restart them.',
            ),
          ]),
      ...(options.length === 0
        ? []
        : [
            warning(
              `${pair} are configured differently: ${options.join(', ')}.`,
              'Set these options alike, and restart them.',
            ),
          ]),
    ]
  })
  return findings.length > 0 ? findings : [ok(`All processes are alike (${processes.length}).`)]
}
