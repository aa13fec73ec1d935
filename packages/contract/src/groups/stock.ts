import type { Finding } from '../model/check.ts'
import type { Answered } from '../model/evidence.ts'

/** What a stock client says against an answer that was recorded. */
export async function stockAccepts(
  { answer, label }: Answered,
  read: (answer: Response) => Promise<unknown>,
): Promise<Finding> {
  const isKept = (name: string): boolean => /^(content-type|www-authenticate)$/i.test(name)
  try {
    await read(
      new Response(answer.body, {
        status: answer.status,
        headers: answer.headers
          .filter(([name]) => isKept(name))
          .map(([name, value]) => [name, value]),
      }),
    )
    return undefined
  } catch (error) {
    return `${label}: oauth4webapi says: ${error instanceof Error ? error.message : String(error)}`
  }
}
