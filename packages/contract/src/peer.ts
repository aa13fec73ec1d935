/** Loads a package that is installed only where it is needed. @throws Error that says how */
export async function requirePeer<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const isMissing = (error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw error
    throw new Error(`Install ${name} beside this program: npm install ${name}`, { cause: error })
  }
}
