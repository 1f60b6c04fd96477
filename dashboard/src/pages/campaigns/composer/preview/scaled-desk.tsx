/** A desktop's window in a pane that is narrower: drawn as wide as it is, and made smaller as a whole. */
import { type ReactNode, useEffect, useRef, useState } from "react";

const DESK_PX = 720;

export function ScaledDesk({
  head,
  isDark,
  children,
}: {
  head: ReactNode;
  isDark: boolean;
  children: ReactNode;
}) {
  const room = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: DESK_PX, height: 0 });
  useEffect(() => {
    const { current } = room;
    if (!current) return;
    const observer = new ResizeObserver(() =>
      setSize({ width: current.clientWidth, height: current.clientHeight }),
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const scale = Math.min(size.width / DESK_PX, 1);
  const style = {
    inlineSize: size.width / scale,
    blockSize: size.height / scale,
    transform: `scale(${scale})`,
  };
  return (
    <div className={isDark ? "desk dark" : "desk"} ref={room}>
      <div className="desk-window" style={style}>
        {head}
        {children}
      </div>
    </div>
  );
}
