// vendor/preact/preact.mjs
var n;
var t;
var r;
var u;
var i;
var f;
var o;
var e;
var l;
var c;
var a;
var s;
var h = /* @__PURE__ */ Symbol.for("pv");
var p = {};
var y = [];
var v = /^m(i|n|o|s|text|space)$/;
var w = Array.isArray;
var d = y.slice;
var _ = Object.assign;
function g(n3) {
  n3 && n3.parentNode && n3.remove();
}
function k(n3, t4, r4) {
  var u4, i4, f5, o5 = {}, e4 = arguments.length;
  for (f5 in t4) "key" == f5 ? u4 = t4[f5] : "ref" == f5 && "function" != typeof n3 ? i4 = t4[f5] : o5[f5] = t4[f5];
  return e4 > 2 && (o5.children = e4 > 3 ? d.call(arguments, 2) : r4), m(n3, o5, u4, i4, null);
}
function m(r4, u4, i4, f5, o5) {
  var e4 = { type: r4, props: u4, key: i4, ref: f5, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: h, __v: o5 || ++t, __i: -1, __u: 0 };
  return !o5 && n.vnode && n.vnode(e4), e4;
}
function $(n3) {
  return n3.children;
}
function x(n3, t4) {
  this.props = n3, this.context = t4, this.__g = 0;
}
function S(n3, t4) {
  if (null == t4) return n3.__ && S(n3.__, n3.__i + 1);
  for (var r4; t4 < n3.__k.length; t4++) if ((r4 = n3.__k[t4]) && r4.__e) return r4.__e;
  return "function" != typeof n3.type || n3.props.__P ? null : S(n3);
}
function C(t4) {
  var r4, u4 = t4.__v, i4 = u4.__e, f5 = [], o5 = [], e4 = t4.__P;
  e4 && ((r4 = _({ constructor: h }, u4)).__v = u4.__v + 1, n.vnode && n.vnode(r4), z(e4, r4, u4, t4.__n, e4.namespaceURI, 32 & u4.__u ? [i4] : null, f5, i4 || S(u4), 32 & u4.__u, o5), r4.__v = u4.__v, r4.__.__k[r4.__i] = r4, E(f5, r4, o5), u4.__ = u4.__e = null, r4.__e != i4 && j(r4));
}
function j(n3) {
  if ((n3 = n3.__) && n3.__c && !n3.props.__P) return n3.__e = null, n3.__k.some(function(t4) {
    return t4 && (n3.__e = t4.__e);
  }), j(n3);
}
function L(t4) {
  (8 & t4.__g || (t4.__g |= 8, u.push(t4), f++)) && i == n.debounceRendering || ((i = n.debounceRendering) || queueMicrotask)(H);
}
function H() {
  try {
    for (var n3, t4 = 1; u.length; ) u.length > t4 && u.sort(o), n3 = u.shift(), t4 = u.length, 8 & n3.__g && C(n3);
  } finally {
    (f = u.length) && (i || queueMicrotask)(H);
  }
}
function I(n3, t4, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
  var s4, h4, v5, w5, d5, _5, g5 = u4.__k || y, k5 = t4.length;
  for (l4 = q(r4, t4, g5, l4, k5), s4 = 0; s4 < k5; s4++) null != (v5 = r4.__k[s4]) && (h4 = ~v5.__i && g5[v5.__i] || p, v5.__i = s4, _5 = z(n3, v5, h4, i4, f5, o5, e4, l4, c4, a5), w5 = v5.__e, (h4.ref != v5.ref || 8 & h4.__u) && (h4.ref && G(h4.ref, null, v5, h4), v5.ref && a5.push(v5.ref, v5.__c || w5, v5)), d5 = d5 || w5, 4 & v5.__u ? (l4 = A(v5, l4, n3, !h4.__v), h4.__e && (h4.__e = null)) : "function" == typeof v5.type && void 0 !== _5 ? l4 = _5 : w5 && (l4 = w5.nextSibling), v5.__u &= -21);
  return r4.__e = d5, l4;
}
function q(n3, t4, r4, u4, i4) {
  var f5, o5, e4, l4, c4, a5, s4, p5, y5, v5 = r4.length, d5 = v5, _5 = 0, g5 = 0, k5 = n3.__k = Array(i4);
  for (f5 = 0; f5 < i4; f5++) null != (o5 = t4[f5]) && "boolean" != typeof o5 && "function" != typeof o5 ? ("object" != typeof o5 || o5.constructor === String ? o5 = k5[f5] = m(null, o5) : w(o5) ? o5 = k5[f5] = m($, { children: o5 }) : o5.constructor === h && o5.__b ? o5 = k5[f5] = m(o5.type, o5.props, o5.key, o5.ref, o5.__v) : k5[f5] = o5, l4 = f5 + _5, o5.__ = n3, o5.__b = n3.__b + 1, e4 = null, ~(c4 = o5.__i = P(o5, r4, l4, d5)) && (d5--, (e4 = r4[c4]) && (e4.__u |= 2)), e4 && e4.__v ? (o5.__u |= 16, c4 == l4 - 1 ? _5-- : c4 == l4 + 1 ? _5++ : c4 != l4 && (c4 > l4 ? _5-- : _5++, g5 = 1)) : (~c4 || (i4 > v5 ? _5-- : i4 < v5 && _5++), "function" != typeof o5.type && (o5.__u |= 4))) : k5[f5] = null;
  if (g5) {
    for (a5 = [], s4 = [], f5 = 0; f5 < i4; f5++) if ((o5 = k5[f5]) && 16 & o5.__u) {
      for (_5 = 0, p5 = a5.length; _5 < p5; ) a5[y5 = _5 + p5 >> 1] < o5.__i ? _5 = y5 + 1 : p5 = y5;
      a5[_5] = o5.__i, s4[f5] = _5 + 1;
    }
    for (_5 = a5.length; f5--; ) s4[f5] && (s4[f5] == _5 ? _5-- : k5[f5].__u |= 4);
  }
  if (d5) for (f5 = 0; f5 < v5; f5++) !(e4 = r4[f5]) || 2 & e4.__u || (e4.__e == u4 && (u4 = S(e4)), J(e4, e4));
  return u4;
}
function A(n3, t4, r4, u4) {
  var i4, f5, o5, e4;
  if ("function" == typeof n3.type) {
    if (n3.props.__P) return t4;
    if (i4 = n3.__k) for (f5 = 0; f5 < i4.length; f5++) i4[f5] && (i4[f5].__ = n3, t4 = A(i4[f5], t4, r4, false));
    return t4;
  }
  for (t4 && !t4.parentNode && (t4 = S(n3)) && !t4.parentNode && (t4 = null), o5 = n3.__e, e4 = t4; e4 && 8 == e4.nodeType; ) e4 = e4.nextSibling;
  for (o5 != e4 && (!u4 && r4.moveBefore && o5.parentNode ? r4.moveBefore(o5, t4) : r4.insertBefore(o5, t4 || null)), t4 = o5; (t4 = t4 && t4.nextSibling) && 8 == t4.nodeType && !t4.data.startsWith("$s"); ) ;
  return t4;
}
function P(n3, t4, r4, u4) {
  var i4, f5 = n3.key, o5 = n3.type, e4 = t4[r4], l4 = e4 && !(2 & e4.__u);
  if (null === e4 && null == f5 || l4 && f5 == e4.key && o5 == e4.type) return r4;
  if (u4 > (l4 ? 1 : 0)) {
    for (i4 = r4 - 1; i4 >= 0; i4--) if ((e4 = t4[i4]) && !(2 & e4.__u) && f5 == e4.key && o5 == e4.type) return i4;
    for (i4 = r4 + 1; i4 < t4.length; i4++) if ((e4 = t4[i4]) && !(2 & e4.__u) && f5 == e4.key && o5 == e4.type) return i4;
  }
  return -1;
}
function T(n3, t4, r4) {
  null == r4 && (r4 = ""), "-" == t4[0] ? n3.setProperty(t4, r4) : n3[t4] = r4;
}
function N(n3, t4, r4, u4, i4) {
  var f5, o5;
  if ("style" == t4) if ("string" == typeof r4) n3.style.cssText = r4;
  else {
    if ("string" == typeof u4 && (n3.style.cssText = u4 = ""), u4) for (t4 in u4) r4 && t4 in r4 || T(n3.style, t4);
    if (r4) for (t4 in r4) u4 && r4[t4] == u4[t4] || T(n3.style, t4, r4[t4]);
  }
  else if ("o" == t4[0] && "n" == t4[1]) "function" != typeof r4 && (r4 = null), "function" != typeof u4 && (u4 = null), (n3.__e || (n3.__e = {}))[t4] = r4, r4 && u4 || (o5 = a[t4] || (a[t4] = V(t4)), (n3.__a || (n3.__a = {}))[t4] = c, f5 = t4 != (t4 = t4.replace(l, "$1")), (t4 = t4.slice(2))[0] < "a" && (t4 = t4.toLowerCase()), r4 ? n3.addEventListener(t4, o5, f5) : n3.removeEventListener(t4, o5, f5));
  else {
    if ("http://www.w3.org/2000/svg" == i4) t4 = t4.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
    else if ("width" != t4 && "height" != t4 && "href" != t4 && "list" != t4 && "form" != t4 && "tabIndex" != t4 && "download" != t4 && "rowSpan" != t4 && "colSpan" != t4 && "role" != t4 && "popover" != t4 && t4 in n3) try {
      return void (n3[t4] = null == r4 ? "" : r4);
    } catch (n4) {
    }
    if ("function" == typeof r4) return;
    null == r4 || false === r4 && "-" != t4[4] ? n3.removeAttribute(t4) : n3.setAttribute(t4, "popover" == t4 && 1 == r4 ? "" : r4);
  }
}
function V(t4) {
  return function(r4) {
    var u4 = this.__e;
    if (u4) {
      if (u4 = u4[t4], null == r4[e]) r4[e] = c++;
      else if (r4[e] < this.__a[t4]) return;
      return u4(n.event ? n.event(r4) : r4);
    }
  };
}
function z(t4, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
  var s4, p5, v5, d5, k5, b3, m5, M2, C3, j3, L2, H2, q3, A4, O2, P3, T4, N2, V2 = r4.type;
  if (r4.constructor !== h) return null;
  128 & u4.__u && (c4 = 32 & u4.__u, s4 = u4.__c.__z) && (r4.__u |= c4, p5 = o5 = [], 8 == s4.nodeType ? l4 = B(s4, o5) : o5.push(s4), l4 = o5[0] || l4), (s4 = n.__b) && s4(r4);
  n: if ("function" == typeof V2) {
    v5 = e4.length;
    try {
      if (M2 = r4.props, C3 = (s4 = V2.prototype) && s4.render, j3 = (s4 = V2.contextType) && i4[s4.__c], L2 = s4 ? j3 ? j3.props.value : s4.__ : i4, (d5 = u4.__c) ? (r4.__c = d5, 2 & d5.__g && (d5.__g |= 1)) : (C3 ? r4.__c = d5 = new V2(M2, L2) : (r4.__c = d5 = new x(M2, L2), d5.constructor = V2, d5.render = K), j3 && j3.sub(d5), d5.state || (d5.state = {}), d5.__n = i4, d5.__g |= 8, d5.__h = [], d5.__k = []), C3 && (d5.__s || (d5.__s = d5.state), V2.getDerivedStateFromProps && (d5.__s == d5.state && (d5.__s = _({}, d5.__s)), _(d5.__s, V2.getDerivedStateFromProps(M2, d5.__s)))), k5 = d5.props, b3 = d5.state, d5.__v = r4, u4.__c) {
        if (M2 !== k5 && C3 && !V2.getDerivedStateFromProps && d5.componentWillReceiveProps && d5.componentWillReceiveProps(M2, L2), r4.__v == u4.__v && !(8 & d5.__g) || !(4 & d5.__g) && d5.shouldComponentUpdate && false === d5.shouldComponentUpdate(M2, d5.__s, L2)) {
          r4.__v != u4.__v && (d5.props = M2, d5.state = d5.__s, d5.__g &= -9), r4.__e = u4.__e, r4.__k = u4.__k, r4.__k.some(function(n3) {
            n3 && (n3.__ = r4);
          }), y.push.apply(d5.__h, d5.__k), d5.__k = [], d5.__h.length && e4.push(d5), l4 = S(u4);
          break n;
        }
        d5.componentWillUpdate && d5.componentWillUpdate(M2, d5.__s, L2), C3 && d5.componentDidUpdate && d5.__h.push(function() {
          d5.componentDidUpdate(k5, b3, m5);
        });
      } else C3 && !V2.getDerivedStateFromProps && d5.componentWillMount && d5.componentWillMount(), C3 && d5.componentDidMount && d5.__h.push(d5.componentDidMount);
      d5.context = L2, d5.props = M2, d5.__P = t4, d5.__g &= -5, H2 = n.__r, q3 = C3 ? 25 : 0;
      do {
        d5.__g &= -9, H2 && H2(r4), s4 = d5.render(d5.props, d5.state = d5.__s, d5.context);
      } while (8 & d5.__g && ++q3 < 25);
      C3 && (y.push.apply(d5.__h, d5.__k), d5.__k = []), d5.state = d5.__s, d5.getChildContext && (i4 = _({}, i4, d5.getChildContext())), C3 && u4.__c && d5.getSnapshotBeforeUpdate && (m5 = d5.getSnapshotBeforeUpdate(k5, b3)), A4 = s4 && s4.type === $ && null == s4.key ? s4.props.children : s4, M2.__P && (s4 = l4, f5 = (t4 = M2.__P).namespaceURI, c4 = o5 = null, u4.props && u4.props.__P != t4 && (u4.__k.some(function(n3) {
        n3 && J(n3, n3);
      }), u4.__k = null), l4 = u4.__k ? S(u4, 0) : null), l4 = I(t4, w(A4) ? A4 : [A4], r4, u4, i4, f5, o5, e4, l4, c4, a5), M2.__P && (r4.__e = null, l4 = s4), r4.__u &= -161, p5 && p5.some(g), d5.__h.length && e4.push(d5), 1 & d5.__g && (d5.__g &= -4);
    } catch (t5) {
      if (e4.length = v5, r4.__v = null, c4 || o5) if (t5 && t5.then) {
        if (r4.__u |= 128 | c4, o5) {
          for (~(T4 = o5.indexOf(l4 || void 0)) || (T4 = o5.length); (N2 = o5[T4 - 1]) && 8 == N2.nodeType; ) T4--;
          for (; T4 < o5.length; T4++) if (N2 = o5[T4]) if (o5[T4] = null, O2) {
            if (N2 == P3) break;
          } else {
            if (8 != N2.nodeType) break;
            N2.data.startsWith("$s") && (P3 = B(O2 = N2));
          }
        }
        if (!O2) {
          for (; l4 && 8 == l4.nodeType && l4.nextSibling; ) l4 = l4.nextSibling;
          O2 = l4;
        }
        (s4 = B(O2 = r4.__c.__z || (r4.__c.__z = O2))) ? (r4.__e = O2, l4 = s4) : r4.__e = l4, l4 = l4 && l4.nextSibling;
      } else o5 && o5.some(g);
      else r4.__e = u4.__e;
      r4.__k || (r4.__k = u4.__k || []), t5 && t5.then || D(r4), n.__e(t5, r4, u4);
    }
  } else l4 = r4.__e = F(u4.__e, r4, u4, i4, f5, o5, e4, c4, a5, t4);
  return (s4 = n.diffed) && s4(r4), l4;
}
function B(n3, t4) {
  if (n3 && 8 == n3.nodeType && n3.data.startsWith("$s")) for (var r4 = 1; n3 = n3.nextSibling; ) {
    if (8 == n3.nodeType) {
      if (n3.data.startsWith("$s")) r4++;
      else if (n3.data.startsWith("/$s") && !--r4) return n3;
    }
    t4 && t4.push(n3);
  }
}
function D(n3) {
  n3 && (n3.__c && (n3.__c.__g |= 4), n3.__k && n3.__k.some(D));
}
function E(t4, r4, u4) {
  for (var i4 = 0; i4 < u4.length; ) G(u4[i4++], u4[i4++], u4[i4++]);
  n.__c && n.__c(r4, t4), t4.some(function(r5) {
    try {
      t4 = r5.__h, r5.__h = [], t4.some(function(n3) {
        n3.call(r5);
      });
    } catch (t5) {
      n.__e(t5, r5.__v);
    }
  });
}
function F(t4, r4, u4, i4, f5, o5, e4, l4, c4, a5) {
  var s4, h4, y5, _5, k5, b3, m5, M2, $2 = u4.props || p, x4 = r4.props, C3 = r4.type;
  if ("svg" == C3 ? f5 = "http://www.w3.org/2000/svg" : "math" == C3 ? f5 = "http://www.w3.org/1998/Math/MathML" : f5 || (f5 = "http://www.w3.org/1999/xhtml"), o5) {
    for (s4 = 0; s4 < o5.length; s4++) if ((k5 = o5[s4]) && (C3 ? k5.localName == C3 : 3 == k5.nodeType)) {
      t4 = k5, o5[s4] = null;
      break;
    }
  }
  if (!t4) {
    if (M2 = a5.ownerDocument || document, !C3) return M2.createTextNode(x4);
    t4 = M2.createElementNS(f5, C3, x4.is ? x4 : a5), l4 && (n.__m && n.__m(r4, o5), l4 = false), o5 = null;
  }
  if (C3) {
    if (a5 = "template" == C3 && t4.content || t4, o5 = "textarea" == C3 && null != x4.defaultValue ? null : o5 && d.call(a5.childNodes), !l4 && o5) for ($2 = {}, s4 = 0; s4 < t4.attributes.length; s4++) $2[(k5 = t4.attributes[s4]).name] = k5.value;
    for (s4 in $2) k5 = $2[s4], "dangerouslySetInnerHTML" == s4 ? y5 = k5 : "children" == s4 || s4 in x4 || "value" == s4 && "defaultValue" in x4 || "checked" == s4 && "defaultChecked" in x4 || N(t4, s4, null, k5, f5);
    for (s4 in x4) k5 = x4[s4], "children" == s4 ? _5 = k5 : "dangerouslySetInnerHTML" == s4 ? h4 = k5 : "value" == s4 ? b3 = k5 : "checked" == s4 ? m5 = k5 : l4 && "function" != typeof k5 || $2[s4] === k5 || N(t4, s4, k5, $2[s4], f5);
    h4 ? (l4 || y5 && (h4.__html == y5.__html || h4.__html == t4.innerHTML) || (t4.innerHTML = h4.__html), r4.__k = []) : (y5 && (t4.textContent = ""), ("foreignObject" == C3 || "http://www.w3.org/1998/Math/MathML" == f5 && v.test(C3)) && (f5 = "http://www.w3.org/1999/xhtml"), I(a5, w(_5) ? _5 : [_5], r4, u4, i4, f5, o5, e4, o5 ? o5[0] : u4.__k && S(u4, 0), l4, c4), o5 && o5.some(g)), l4 && "textarea" != C3 || (s4 = "value", "progress" == C3 && null == b3 ? t4.removeAttribute(s4) : null == b3 || b3 === t4[s4] && ("progress" != C3 || b3) || N(t4, s4, b3, $2[s4], f5), s4 = "checked", null != m5 && m5 != t4[s4] && N(t4, s4, m5, $2[s4], f5));
  } else $2 === x4 || l4 && t4.data == x4 || (t4.data = x4);
  return t4;
}
function G(t4, r4, u4, i4) {
  try {
    "function" == typeof t4 ? r4 ? r4.__x = t4(r4) || 1 : i4 && (i4 = i4.__c || i4.__e) && (r4 = i4.__x) && (i4.__x = null, "function" == typeof r4 ? r4() : t4(null)) : t4.current = r4;
  } catch (t5) {
    n.__e(t5, u4);
  }
}
function J(t4, r4, u4) {
  var i4, f5, o5, e4;
  if (n.unmount && n.unmount(t4), !(i4 = t4.ref) || i4.current && i4.current != t4.__e || G(i4, null, r4, t4), i4 = t4.__c) {
    if (i4.componentWillUnmount) try {
      i4.componentWillUnmount();
    } catch (t5) {
      n.__e(t5, r4);
    }
    i4.__P = i4.__n = null;
  }
  if (i4 = t4.__k) for (e4 = 0; e4 < i4.length; e4++) i4[e4] && J(i4[e4], r4, "function" != typeof t4.type || u4 && !t4.props.__P);
  !u4 && (i4 = t4.__c) && (i4 = i4.__z) && (f5 = B(i4, o5 = [])) && (i4 == t4.__e && o5.some(g), g(f5), g(i4)), u4 || g(t4.__e), t4.__e = t4.__c = t4.__ = null;
}
function K(n3, t4, r4) {
  return this.constructor(n3, r4);
}
function Q(t4, r4) {
  var u4, i4, f5, o5;
  n.__ && n.__(t4, r4), 9 == r4.nodeType && (r4 = r4.documentElement), i4 = (u4 = t4 && 32 & t4.__u) ? null : r4.__k, r4.__k = m($, { children: [t4] }), f5 = [], o5 = [], z(r4, r4.__k, i4 || p, p, r4.namespaceURI, i4 ? null : r4.firstChild ? d.call(r4.childNodes) : null, f5, i4 ? i4.__e : r4.firstChild, u4, o5), E(f5, r4.__k, o5), r4.__k.props.children = null;
}
n = { __e: function(n3, t4, r4, u4) {
  for (var i4, o5, e4; t4 = t4.__; ) if ((i4 = t4.__c) && !(1 & i4.__g)) {
    i4.__g |= 4;
    try {
      if ((e4 = (o5 = i4.constructor) && o5.getDerivedStateFromError) && i4.setState(o5.getDerivedStateFromError(n3)), i4.componentDidCatch && (i4.componentDidCatch(n3, u4 || {}), e4 = 1), e4 && 8 & i4.__g) return void (i4.__g |= 2);
    } catch (t5) {
      n3 = t5;
    }
  }
  throw f = 0, n3;
} }, t = 0, r = function(n3) {
  return null != n3 && n3.constructor === h;
}, x.prototype.setState = function(n3, t4) {
  var r4 = this.__s;
  r4 && r4 != this.state || (r4 = this.__s = _({}, this.state)), "function" == typeof n3 && (n3 = n3(_({}, r4), this.props)), n3 && (_(r4, n3), this.__v && (t4 && this.__k.push(t4), L(this)));
}, x.prototype.forceUpdate = function(n3) {
  this.__v && (this.__g |= 4, n3 && this.__h.push(n3), L(this));
}, x.prototype.render = $, u = [], f = 0, o = function(n3, t4) {
  return n3.__v.__b - t4.__v.__b;
}, e = /* @__PURE__ */ Symbol(), l = /(PointerCapture)$|Capture$/i, c = 0, a = {}, s = 0;

// vendor/preact/hooks.mjs
var t2;
var r2;
var u2;
var i2;
var o2 = Object.is;
var f2 = 0;
var c2 = [];
var e2 = [];
var a2 = n;
var v2 = a2.__b;
var l2 = a2.__r;
var m2 = a2.diffed;
var h2 = a2.__c;
var s2 = a2.unmount;
var p2 = a2.__;
function y2(n3, t4) {
  a2.__h && a2.__h(r2, n3, f2 || t4), f2 = 0;
  var u4 = r2.__H || (r2.__H = { __: [], __h: [] });
  return n3 >= u4.__.length && u4.__.push({}), u4.__[n3];
}
function d2(n3) {
  return f2 = 1, _2(G2, n3);
}
function _2(n3, u4, i4) {
  var f5 = y2(t2++, 2);
  if (f5.t = n3, !f5.__c && (f5.__ = [i4 ? i4(u4) : G2(void 0, u4), function(n4) {
    var t4 = (f5.__N || f5.__)[0], r4 = f5.t(t4, n4);
    o2(t4, r4) || (f5.__N = [r4, f5.__[1]], f5.__c.setState({}));
  }], f5.__c = r2, !r2.__f)) {
    r2.__f = true;
    var c4 = r2.shouldComponentUpdate;
    r2.shouldComponentUpdate = function(n4, t4, r4) {
      var u5 = this.__H;
      if (!u5) return true;
      var i5 = false, f6 = this.props != n4;
      if (u5.__.some(function(n5) {
        n5.__N && (i5 = true, o2(n5.__[0], n5.__N[0]) || (f6 = true));
      }), c4) {
        var e4 = c4.call(this, n4, t4, r4);
        return i5 ? e4 || f6 : e4;
      }
      return !i5 || f6;
    };
  }
  return f5.__;
}
function A2(n3, u4) {
  var i4 = y2(t2++, 3);
  !a2.__s && E2(i4.__H, u4) && (i4.__P = true, i4.__ = n3, i4.u = u4, r2.__H.__h.push(i4));
}
function F2(n3, u4) {
  var i4 = y2(t2++, 4);
  !a2.__s && E2(i4.__H, u4) && (i4.__P = false, i4.__ = n3, i4.u = u4, r2.__h.push(i4));
}
function T2(n3) {
  return f2 = 5, w2(function() {
    return { current: n3 };
  }, []);
}
function w2(n3, r4) {
  var u4 = y2(t2++, 7);
  return E2(u4.__H, r4) && (u4.__ = n3(), u4.__H = r4), u4.__;
}
function P2() {
  var n3 = y2(t2++, 11);
  if (!n3.__) {
    for (var u4 = r2.__v; !u4.__m && u4.__; ) u4 = u4.__;
    var i4 = u4.__m || (u4.__m = [0, 0]);
    n3.__ = "P" + i4[0] + "-" + i4[1]++;
  }
  return n3.__;
}
function g2() {
  var n3;
  do {
    for (; n3 = e2.shift(); ) try {
      C2(n3);
    } catch (t5) {
      a2.__e(t5, { __: (n3 = n3.__P) && n3.__v });
    }
    for (; n3 = c2.shift(); ) {
      var t4 = n3.__H;
      if (n3.__P && t4) try {
        t4.__h.some(C2), t4.__h.some(D2), t4.__h = [];
      } catch (r4) {
        t4.__h = [], a2.__e(r4, n3.__v);
      }
    }
  } while (e2.length);
}
a2.__b = function(n3) {
  r2 = null, v2 && v2(n3);
}, a2.__ = function(n3, t4) {
  n3 && t4.__k && t4.__k.__m && (n3.__m = t4.__k.__m), p2 && p2(n3, t4);
}, a2.__r = function(n3) {
  l2 && l2(n3), t2 = 0;
  var i4 = (r2 = n3.__c).__H;
  i4 && (u2 == r2 ? r2.__h = [] : (i4.__h.some(C2), i4.__h.some(D2), t2 = 0), i4.__h = [], i4.__.some(function(n4) {
    n4.__N && (n4.__ = n4.__N), n4.u = n4.__N = void 0;
  })), u2 = r2;
}, a2.diffed = function(n3) {
  m2 && m2(n3);
  var t4 = n3.__c;
  t4 && t4.__H && (t4.__H.__h.length && B2(c2.push(t4)), t4.__H.__.some(function(n4) {
    n4.u && (n4.__H = n4.u);
  })), u2 = r2 = null;
}, a2.__c = function(n3, t4) {
  t4.some(function(n4) {
    try {
      n4.__h.some(C2), n4.__h = n4.__h.filter(function(n5) {
        return !n5.__ || D2(n5);
      });
    } catch (t5) {
      n4.__h = [function() {
        throw t5;
      }];
    }
  }), h2 && h2(n3, t4);
}, a2.unmount = function(n3) {
  s2 && s2(n3);
  var t4, r4, u4 = n3.__c;
  u4 && u4.__H && (u4.__H.__.some(function(u5) {
    try {
      if (u5.__P && u5.__c) {
        if (void 0 === r4) {
          for (r4 = n3.__; r4 && (!r4.__c || !r4.__c.__P); ) r4 = r4.__;
          r4 = r4 && r4.__c;
        }
        u5.__P = r4, B2(e2.push(u5));
      } else C2(u5);
    } catch (n4) {
      t4 = n4;
    }
  }), u4.__H = void 0, t4 && a2.__e(t4, u4.__v));
};
var k2 = "function" == typeof requestAnimationFrame;
function z2(n3) {
  var t4, r4 = function() {
    clearTimeout(u4), k2 && cancelAnimationFrame(t4), setTimeout(n3);
  }, u4 = setTimeout(r4, 35);
  k2 && (t4 = requestAnimationFrame(r4));
}
function B2(n3) {
  1 != n3 && i2 == a2.requestAnimationFrame || ((i2 = a2.requestAnimationFrame) || z2)(g2);
}
function C2(n3) {
  var t4 = r2, u4 = n3.__c;
  "function" == typeof u4 && (n3.__c = void 0, u4()), r2 = t4;
}
function D2(n3) {
  var t4 = r2;
  n3.__c = n3.__(), r2 = t4;
}
function E2(n3, t4) {
  return !n3 || n3.length != t4.length || t4.some(function(t5, r4) {
    return !o2(t5, n3[r4]);
  });
}
function G2(n3, t4) {
  return "function" == typeof t4 ? t4(n3) : t4;
}

// vendor/signals-core/signals-core.mjs
var t3 = /* @__PURE__ */ Symbol.for("preact-signals");
function i3() {
  if (e3 > 1) {
    e3--;
    return;
  }
  let t4, i4 = false;
  !(function() {
    let t5 = h3;
    h3 = void 0;
    while (void 0 !== t5) {
      const i5 = t5.S;
      if (i5.v === t5.v) {
        for (let n3 = i5.t; void 0 !== n3; n3 = n3.x) if (n3.i === t5.i) n3.i = i5.i;
      }
      t5 = t5.o;
    }
  })();
  while (void 0 !== r3) {
    let n3 = r3;
    r3 = void 0;
    c3++;
    while (void 0 !== n3) {
      const o5 = n3.u;
      n3.u = void 0;
      n3.f &= -3;
      if (!(8 & n3.f) && w3(n3)) try {
        n3.c();
      } catch (n4) {
        if (!i4) {
          t4 = n4;
          i4 = true;
        }
      }
      n3 = o5;
    }
  }
  c3 = 0;
  e3--;
  if (i4) throw t4;
}
function n2(t4) {
  if (e3 > 0) return t4();
  d3 = ++u3;
  e3++;
  try {
    return t4();
  } finally {
    i3();
  }
}
var o3;
var s3;
var r3;
function f3(t4) {
  const i4 = o3, n3 = s3;
  o3 = void 0;
  s3 = void 0;
  try {
    return t4();
  } finally {
    o3 = i4;
    s3 = n3;
  }
}
var h3;
var e3 = 0;
var c3 = 0;
var u3 = 0;
var d3 = 0;
var v3 = 0;
function l3(t4) {
  if (void 0 === o3) return;
  let i4 = t4.n;
  if (void 0 === i4 || i4.t !== o3) {
    i4 = { i: 0, S: t4, p: o3.s, n: void 0, t: o3, e: void 0, x: void 0, r: i4 };
    if (void 0 !== o3.s) o3.s.n = i4;
    o3.s = i4;
    t4.n = i4;
    if (32 & o3.f) t4.S(i4);
    return i4;
  } else if (-1 === i4.i) {
    i4.i = 0;
    if (void 0 !== i4.n) {
      i4.n.p = i4.p;
      if (void 0 !== i4.p) i4.p.n = i4.n;
      i4.p = o3.s;
      i4.n = void 0;
      o3.s.n = i4;
      o3.s = i4;
    }
    return i4;
  }
}
function y3(t4, i4) {
  this.v = t4;
  this.i = 0;
  this.n = void 0;
  this.t = void 0;
  this.l = 0;
  this.W = null == i4 ? void 0 : i4.watched;
  this.Z = null == i4 ? void 0 : i4.unwatched;
  this.name = null == i4 ? void 0 : i4.name;
}
y3.prototype.brand = t3;
y3.prototype.h = function() {
  return true;
};
y3.prototype.S = function(t4) {
  const i4 = this.t;
  if (i4 !== t4 && void 0 === t4.e) {
    t4.x = i4;
    this.t = t4;
    if (void 0 !== i4) i4.e = t4;
    else f3(() => {
      var t5;
      null == (t5 = this.W) || t5.call(this);
    });
  }
};
y3.prototype.U = function(t4) {
  if (void 0 !== this.t) {
    const i4 = t4.e, n3 = t4.x;
    if (void 0 !== i4) {
      i4.x = n3;
      t4.e = void 0;
    }
    if (void 0 !== n3) {
      n3.e = i4;
      t4.x = void 0;
    }
    if (t4 === this.t) {
      this.t = n3;
      if (void 0 === n3) f3(() => {
        var t5;
        null == (t5 = this.Z) || t5.call(this);
      });
    }
  }
};
y3.prototype.subscribe = function(t4) {
  return x2(() => {
    const i4 = this.value;
    f3(() => t4(i4));
  }, { name: "sub" });
};
y3.prototype.valueOf = function() {
  return this.value;
};
y3.prototype.toString = function() {
  return this.value + "";
};
y3.prototype.toJSON = function() {
  return this.value;
};
y3.prototype.peek = function() {
  return f3(() => this.value);
};
Object.defineProperty(y3.prototype, "value", { get() {
  const t4 = l3(this);
  if (void 0 !== t4) t4.i = this.i;
  return this.v;
}, set(t4) {
  if (t4 !== this.v) {
    if (c3 > 100) throw new Error("Cycle detected");
    !(function(t5) {
      if (0 !== e3 && 0 === c3) {
        if (t5.l !== d3) {
          t5.l = d3;
          h3 = { S: t5, v: t5.v, i: t5.i, o: h3 };
        }
      }
    })(this);
    this.v = t4;
    this.i++;
    v3++;
    e3++;
    try {
      for (let t5 = this.t; void 0 !== t5; t5 = t5.x) t5.t.N();
    } finally {
      i3();
    }
  }
} });
function a3(t4, i4) {
  return new y3(t4, i4);
}
function w3(t4) {
  for (let i4 = t4.s; void 0 !== i4; i4 = i4.n) if (i4.S.i !== i4.i || !i4.S.h() || i4.S.i !== i4.i) return true;
  return false;
}
function b(t4) {
  for (let i4 = t4.s; void 0 !== i4; i4 = i4.n) {
    const n3 = i4.S.n;
    if (void 0 !== n3) i4.r = n3;
    i4.S.n = i4;
    i4.i = -1;
    if (void 0 === i4.n) {
      t4.s = i4;
      break;
    }
  }
}
function _3(t4) {
  let i4, n3 = t4.s;
  while (void 0 !== n3) {
    const t5 = n3.p;
    if (-1 === n3.i) {
      n3.S.U(n3);
      if (void 0 !== t5) t5.n = n3.n;
      if (void 0 !== n3.n) n3.n.p = t5;
    } else i4 = n3;
    n3.S.n = n3.r;
    if (void 0 !== n3.r) n3.r = void 0;
    n3 = t5;
  }
  t4.s = i4;
}
function j2(t4, i4) {
  y3.call(this, void 0, i4);
  this.x = t4;
  this.s = void 0;
  this.g = v3 - 1;
  this.f = 4;
}
j2.prototype = new y3();
j2.prototype.h = function() {
  this.f &= -3;
  if (1 & this.f) return false;
  if (32 == (36 & this.f)) return true;
  this.f &= -5;
  if (this.g === v3) return true;
  this.g = v3;
  this.f |= 1;
  if (this.i > 0 && !w3(this)) {
    this.f &= -2;
    return true;
  }
  const t4 = o3;
  try {
    b(this);
    o3 = this;
    const t5 = this.x();
    if (16 & this.f || this.v !== t5 || 0 === this.i) {
      this.v = t5;
      this.f &= -17;
      this.i++;
    }
  } catch (t5) {
    this.v = t5;
    this.f |= 16;
    this.i++;
  }
  o3 = t4;
  _3(this);
  this.f &= -2;
  return true;
};
j2.prototype.S = function(t4) {
  if (void 0 === this.t) {
    this.f |= 36;
    for (let t5 = this.s; void 0 !== t5; t5 = t5.n) t5.S.S(t5);
  }
  y3.prototype.S.call(this, t4);
};
j2.prototype.U = function(t4) {
  if (void 0 !== this.t) {
    y3.prototype.U.call(this, t4);
    if (void 0 === this.t) {
      this.f &= -33;
      for (let t5 = this.s; void 0 !== t5; t5 = t5.n) t5.S.U(t5);
    }
  }
};
j2.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 6;
    for (let t4 = this.t; void 0 !== t4; t4 = t4.x) t4.t.N();
  }
};
Object.defineProperty(j2.prototype, "value", { get() {
  if (1 & this.f) throw new Error("Cycle detected");
  const t4 = l3(this);
  this.h();
  if (void 0 !== t4) t4.i = this.i;
  if (16 & this.f) throw this.v;
  return this.v;
} });
function O(t4, i4) {
  return new j2(t4, i4);
}
function p3(t4) {
  const n3 = t4.j;
  t4.j = void 0;
  if ("function" == typeof n3) {
    e3++;
    const s4 = o3;
    o3 = void 0;
    try {
      n3();
    } catch (i4) {
      t4.f &= -2;
      t4.f |= 8;
      g3(t4);
      throw i4;
    } finally {
      o3 = s4;
      i3();
    }
  }
}
function g3(t4) {
  for (let i4 = t4.s; void 0 !== i4; i4 = i4.n) i4.S.U(i4);
  t4.x = void 0;
  t4.s = void 0;
  p3(t4);
}
function S2(t4) {
  if (o3 !== this) throw new Error("Out-of-order effect");
  _3(this);
  o3 = t4;
  this.f &= -2;
  try {
    if (8 & this.f) g3(this);
  } finally {
    i3();
  }
}
function m3(t4, i4) {
  this.x = t4;
  this.j = void 0;
  this.s = void 0;
  this.u = void 0;
  this.f = 32;
  this.name = null == i4 ? void 0 : i4.name;
  if (s3) s3.push(this);
}
m3.prototype.c = function() {
  const t4 = this.S();
  try {
    if (8 & this.f) return;
    if (void 0 === this.x) return;
    const i4 = this.x();
    if ("function" == typeof i4) this.j = i4;
  } finally {
    t4();
  }
};
m3.prototype.S = function() {
  if (1 & this.f) throw new Error("Cycle detected");
  this.f |= 1;
  this.f &= -9;
  p3(this);
  b(this);
  e3++;
  const t4 = o3;
  o3 = this;
  return S2.bind(this, t4);
};
m3.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 2;
    this.u = r3;
    r3 = this;
  }
};
m3.prototype.d = function() {
  this.f |= 8;
  if (!(1 & this.f)) g3(this);
};
m3.prototype.dispose = function() {
  this.d();
};
function x2(t4, i4) {
  const n3 = new m3(t4, i4);
  try {
    n3.c();
  } catch (t5) {
    n3.d();
    throw t5;
  }
  const o5 = n3.d.bind(n3);
  o5[Symbol.dispose] = o5;
  return o5;
}

// vendor/signals/signals.mjs
var d4 = "undefined" != typeof window && !!window.__PREACT_SIGNALS_DEVTOOLS__;
var p4;
var m4;
var v4;
var _4 = [];
var g4 = [];
x2(function() {
  p4 = this.N;
})();
function b2(t4, i4) {
  n[t4] = i4.bind(null, n[t4] || (() => {
  }));
}
function y4(t4) {
  if (v4) {
    const t5 = v4;
    v4 = void 0;
    t5();
  }
  v4 = t4 && t4.S();
}
function w4({ data: t4 }) {
  const i4 = useSignal(t4);
  i4.name = "ReactiveDom";
  i4.value = t4;
  const [n3, e4] = w2(() => {
    let t5 = this, n4 = this.__v;
    while (n4 = n4.__) if (n4.__c) {
      n4.__c.__$f |= 4;
      break;
    }
    const e5 = O(() => {
      let t6 = i4.value.value;
      return 0 === t6 ? 0 : true === t6 ? "" : t6 || "";
    }), f5 = O(() => !Array.isArray(e5.value) && !r(e5.value)), r4 = x2(function() {
      this.N = M;
      if (f5.value) {
        const i5 = e5.value;
        if (t5.__v && t5.__v.__e && 3 === t5.__v.__e.nodeType) t5.__v.__e.data = i5;
      }
    }), u4 = this.__$u.d;
    this.__$u.d = function() {
      r4();
      u4.call(this);
    };
    return [f5, e5];
  }, []);
  return n3.value ? e4.peek() : e4.value;
}
w4.displayName = "ReactiveTextNode";
Object.defineProperties(y3.prototype, { constructor: { configurable: true, value: k($, null).constructor }, type: { configurable: true, value: w4 }, props: { configurable: true, get() {
  const t4 = this;
  return { data: { get value() {
    return t4.value;
  } } };
} }, __b: { configurable: true, value: 1 } });
b2("__b", (t4, i4) => {
  y4();
  m4 = void 0;
  if ("string" == typeof i4.type) {
    let t5, n3 = i4.props;
    for (let e4 in n3) {
      if ("children" === e4) continue;
      let o5 = n3[e4];
      if (o5 instanceof y3) {
        if (!t5) i4.__np = t5 = {};
        t5[e4] = o5;
        n3[e4] = o5.peek();
      }
    }
  }
  t4(i4);
});
b2("__r", (t4, n3) => {
  t4(n3);
  if (n3.type !== $) {
    y4();
    let t5, i4 = n3.__c;
    if (i4) {
      i4.__$f &= -2;
      t5 = i4.__$u;
      if (void 0 === t5) i4.__$u = t5 = (function(t6, i5) {
        let n4;
        x2(function() {
          n4 = this;
        }, { name: i5 });
        n4.c = t6;
        return n4;
      })(/* @__PURE__ */ (function(t6) {
        return function() {
          var i5;
          if (d4) null == (i5 = this.y) || i5.call(this);
          t6.__$f |= 1;
          t6.setState({});
        };
      })(i4), "function" == typeof n3.type ? n3.type.displayName || n3.type.name : "");
    }
    m4 = i4;
    y4(t5);
  }
});
b2("__e", (t4, i4, n3, e4) => {
  y4();
  m4 = void 0;
  t4(i4, n3, e4);
});
b2("diffed", (t4, i4) => {
  y4();
  m4 = void 0;
  let n3;
  if ("string" == typeof i4.type && (n3 = i4.__e)) {
    let t5 = i4.__np, e4 = i4.props, o5 = n3.U;
    if (o5) for (let i5 in o5) {
      let n4 = o5[i5];
      if (!(void 0 === n4 || t5 && i5 in t5)) {
        n4.d();
        o5[i5] = void 0;
      }
    }
    if (t5) {
      if (!o5) {
        o5 = {};
        n3.U = o5;
      }
      for (let i5 in t5) {
        let f5 = o5[i5], r4 = t5[i5];
        if (void 0 === f5) {
          f5 = k4(n3, i5, r4, e4);
          o5[i5] = f5;
        } else f5.o(r4, e4);
      }
    }
  }
  t4(i4);
});
function k4(t4, i4, n3, e4) {
  const o5 = i4 in t4 && void 0 === t4.ownerSVGElement, f5 = a3(n3);
  return { o: (t5, i5) => {
    f5.value = t5;
    e4 = i5;
  }, d: x2(function() {
    this.N = M;
    const n4 = f5.value.value;
    if (e4[i4] !== n4) {
      e4[i4] = n4;
      if (o5) t4[i4] = n4;
      else if (null != n4 && (false !== n4 || "-" === i4[4])) t4.setAttribute(i4, n4);
      else t4.removeAttribute(i4);
    }
  }) };
}
b2("unmount", (t4, i4) => {
  if ("string" == typeof i4.type) {
    let t5 = i4.__e;
    if (t5) {
      const i5 = t5.U;
      if (i5) {
        t5.U = void 0;
        for (let t6 in i5) {
          let n4 = i5[t6];
          if (n4) n4.d();
        }
      }
    }
    let n3 = i4.__np;
    if (n3) {
      let t6 = i4.props;
      for (let i5 in n3) t6[i5] = n3[i5];
    }
    i4.__np = void 0;
  } else {
    let t5 = i4.__c;
    if (t5) {
      t5.__$f |= 8;
      const i5 = t5.__$u;
      if (i5) {
        t5.__$u = void 0;
        i5.d();
      }
    }
  }
  t4(i4);
});
b2("__h", (t4, i4, n3, e4) => {
  if (e4 < 3) i4.__$f |= 2;
  t4(i4, n3, e4);
});
x.prototype.shouldComponentUpdate = function(t4, i4) {
  if (this.__R) return true;
  const n3 = this.__$u, e4 = n3 && void 0 !== n3.s;
  for (let t5 in i4) return true;
  if (this.__f || "boolean" == typeof this.u && true === this.u) {
    const t5 = 2 & this.__$f;
    if (!(e4 || t5 || 4 & this.__$f)) return true;
    if (1 & this.__$f) return true;
  } else {
    if (!(e4 || 4 & this.__$f)) return true;
    if (3 & this.__$f) return true;
  }
  for (let i5 in t4) if ("__source" !== i5 && t4[i5] !== this.props[i5]) return true;
  for (let i5 in this.props) if (!(i5 in t4)) return true;
  return false;
};
function useSignal(t4, i4) {
  return w2(() => a3(t4, i4), []);
}
var q2 = "undefined" == typeof requestAnimationFrame ? setTimeout : function(t4) {
  const i4 = () => {
    clearTimeout(n3);
    cancelAnimationFrame(e4);
    t4();
  }, n3 = setTimeout(i4, 35), e4 = requestAnimationFrame(i4);
};
var A3 = (t4) => {
  queueMicrotask(() => {
    queueMicrotask(t4);
  });
};
function T3() {
  n2(() => {
    let t4;
    while (t4 = _4.shift()) p4.call(t4);
  });
}
function x3() {
  if (1 === _4.push(this)) (n.requestAnimationFrame || q2)(T3);
}
function F3() {
  n2(() => {
    let t4;
    while (t4 = g4.shift()) p4.call(t4);
  });
}
function M() {
  if (1 === g4.push(this)) (n.requestAnimationFrame || A3)(F3);
}
function useSignalEffect(t4, i4) {
  const n3 = T2(t4);
  n3.current = t4;
  const e4 = m4;
  A2(() => x2(function() {
    this.N = x3;
    if (!(e4 && 8 & e4.__$f)) return n3.current();
  }, i4), []);
}

// app/json.ts
function parseJson(text) {
  const exact = (_name, value, context) => typeof value === "number" && !Number.isSafeInteger(value) && context?.source && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
  return JSON.parse(text, exact);
}
function formatJson(value, indent = 0) {
  const raw = JSON.rawJSON;
  const text = JSON.stringify(value, (_name, v5) => typeof v5 === "bigint" ? raw?.(String(v5)) : v5, indent);
  return text.replace(/[\p{Cf}\p{Zl}\p{Zp}\x7f-\x9f]/gu, (c4) => c4.split("").map(unit).join(""));
}
var unit = (half) => "\\u" + half.charCodeAt(0).toString(16).padStart(4, "0");

// app/route.ts
var meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? "";
var base = meta("base");
var documentSession = meta("session");
var place = a3(new URL(location.href));
var names = O(
  () => place.value.pathname.slice((base + "/ui/").length).split("/").filter(Boolean).map(decoded)
);
function decoded(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
function addressOf(prefix, path, query) {
  const q3 = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one) q3.append(name, one);
  }
  const search = q3.toString();
  return `${base}${prefix}${path.map(encodeURIComponent).join("/")}${search && "?" + search}`;
}
var pageOf = (path, query = {}) => addressOf("/ui/", path, query);
var planPage = (station, id, query) => pageOf(["plans", station, id], query);
var runPage = (station, id, n3) => pageOf(["plans", station, id, "runs", String(n3)]);
function withQuery(change) {
  const url = new URL(place.value);
  for (const [name, value] of Object.entries(change)) {
    url.searchParams.delete(name);
    for (const one of Array.isArray(value) ? value : [value]) if (one) url.searchParams.append(name, one);
  }
  return url.pathname + url.search;
}
var param = (name) => place.value.searchParams.get(name) ?? "";
var opened = a3(0);
function open(address, how = "page") {
  const url = new URL(address, location.href);
  if (url.href === place.value.href) return;
  if (how === "replace") history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  place.value = url;
  if (how === "page") {
    opened.value++;
    scrollTo(0, 0);
  }
}
function followLinks() {
  addEventListener("popstate", () => {
    const before = place.value.pathname;
    place.value = new URL(location.href);
    if (before !== place.value.pathname) opened.value++;
  });
  addEventListener("click", (e4) => {
    if (e4.defaultPrevented || e4.button !== 0 || e4.metaKey || e4.ctrlKey || e4.shiftKey || e4.altKey) return;
    const link = e4.target.closest?.("a");
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (!link.pathname.startsWith(base + "/ui/") || link.getAttribute("href").startsWith("#")) return;
    e4.preventDefault();
    open(link.href);
  });
}

// app/rest.ts
var Refusal = class extends Error {
  constructor(status, code, message, errors) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
  status;
  code;
  errors;
};
var Unreachable = class extends Error {
};
var lost = a3(false);
var ended = a3(false);
var reconnected = a3(0);
var restPath = (path, query = {}) => addressOf("/api/v1/", path, query);
async function request(method, address, body, { ifMatch, signal } = {}) {
  const headers = {};
  if (body !== void 0) headers["Content-Type"] = "application/json";
  if (ifMatch) headers["If-Match"] = ifMatch;
  let response, text;
  try {
    response = await fetch(address, { method, headers, signal, body: body === void 0 ? void 0 : formatJson(body) });
    text = await response.text();
  } catch (e4) {
    if (signal?.aborted) throw e4;
    loseConnection();
    throw new Unreachable();
  }
  if (!response.ok) throw refusal(response, text);
  return { status: response.status, value: text ? parseJson(text) : null, etag: response.headers.get("ETag") };
}
function refusal(response, text) {
  if (response.status === 401) ended.value = true;
  try {
    const problem = parseJson(text);
    const first = problem.error;
    const errors = problem.errors ?? (first ? [first] : []);
    return new Refusal(response.status, first?.code ?? "", problem.detail ?? problem.title ?? "", errors);
  } catch {
    return new Refusal(response.status, "", `${response.status} ${response.statusText}`, []);
  }
}
var asking = 0;
function loseConnection() {
  lost.value = true;
  asking ||= window.setTimeout(askAgain, 1e3);
}
async function askAgain() {
  try {
    await fetch(restPath(["session"]), { cache: "no-store" });
  } catch {
    asking = window.setTimeout(askAgain, 1e3);
    return;
  }
  asking = 0;
  lost.value = false;
  reconnected.value++;
}

// app/prefs.ts
function preference(name, values, fallback) {
  const known = (value) => values.find((v5) => v5 === value);
  const now2 = a3(known(param(name)) ?? known(stored(name)) ?? fallback);
  x2(() => {
    const asked3 = known(place.value.searchParams.get(name));
    if (asked3) set(asked3);
  });
  function set(value) {
    now2.value = value;
    try {
      localStorage.setItem("stationmaster." + name, value);
    } catch {
    }
  }
  return {
    name,
    values,
    now: now2,
    choose(value) {
      const chosen = known(value);
      if (!chosen) return;
      set(chosen);
      if (param(name)) open(withQuery({ [name]: chosen }), "replace");
    }
  };
}
function stored(name) {
  try {
    return localStorage.getItem("stationmaster." + name);
  } catch {
    return null;
  }
}
var ofDocument = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
var lang = preference("lang", ["en", "zh"], ofDocument);
var theme = preference("theme", ["auto", "light", "dark"], "auto");
var tz = preference("tz", ["plan", "browser", "utc"], "plan");
var keys = preference("keys", ["on", "off"], "on");
x2(() => {
  document.documentElement.lang = lang.now.value === "zh" ? "zh-CN" : "en";
});
x2(() => {
  document.documentElement.dataset.theme = theme.now.value;
});

// app/en.ts
var en = {
  skipToContent: "Skip to content",
  main: "Main",
  menu: "Menu",
  search: "Search",
  language: "Language",
  theme: "Theme",
  themes: { auto: "Auto", light: "Light", dark: "Dark" },
  timeZone: "Time zone",
  zones: { plan: "Of the plan", browser: "Of the browser", utc: "UTC" },
  pauseUpdates: "Pause updates",
  logIn: "Log in",
  logOut: "Log out",
  token: "Token",
  wrongToken: "No such token. It stands in the file that --http-token-file names.",
  aboutTokens: "A token stands in the file that the server was given with --http-token-file. Its role is reader or operator.",
  insecure: (host) => `The browser keeps no session here, because ${host} is not this machine and the page came without TLS. Open the console in one of these ways:`,
  insecureTls: "By https://, through a proxy that speaks TLS, with the server started as",
  insecureTunnel: "Through a tunnel to the server's own machine:",
  sessionEnded: "The session has ended; what is shown may be old.",
  connectionLost: "Connection lost. The page goes on by itself as soon as the server answers.",
  back: "Back",
  any: "any",
  all: "all",
  byName: "name",
  paging: "Pages of the list",
  nextPage: "Next page",
  previousPage: "Previous page",
  fresh: (n3) => `${n3} new`,
  copy: "Copy",
  copied: "Copied.",
  copyThis: (text) => `Copy ${text}`,
  notFound: "Not found",
  noSuchPage: "There is no page at this address.",
  onlyOperators: "Your token's role is reader. An operator can create and change plans.",
  pages: { plans: "Plans", runs: "Runs" },
  // The list of plans.
  newPlan: "New plan",
  filterPlans: "Filter plans",
  filter: {
    text: "Text",
    station: "Station",
    status: "Status",
    waits: "Waits for",
    plan_type: "Type",
    labels: "Labels",
    order: "Order",
    state: "State"
  },
  columns: {
    plans: ["Name", "Status", "Schedule", "Next due", "Last runs", "Labels"],
    runs: ["Run", "State", "Reason", "Due", "Started", "Took", "Worker"],
    next: ["Due", "Local time", "Notes"],
    open: ["Run", "Attempt", "State", "Worker", "Deadline"],
    act: "Act",
    changes: ["Field", "Before", "After"],
    attempts: ["Run", "Attempt", "State", "Started", "Took", "Worker"]
  },
  waitsFor: (what) => `waits for ${what}`,
  noPlanFits: (filters2) => `No plan fits ${filters2}.`,
  noPlans: "There is no plan yet. One of these creates one; the third line is a worker that executes it.",
  firstPlan: "Fill in the form of a first plan",
  withoutFilters: "Show all",
  lastRuns: (words) => `Last runs, the oldest first: ${words}`,
  // A plan.
  actions: "Actions",
  edit: "Edit",
  copyPlan: "Copy",
  runOnce: "Run once",
  makeIt: "Create a plan of this name",
  parts: "Parts",
  tabs: { runs: "Runs", upcoming: "Upcoming", definition: "Definition" },
  nextDue: "Next due",
  pausedSince: "Paused since",
  skipsLeft: "Next occurrences to skip",
  executed: "Executed",
  skipped: "Skipped",
  openExecutions: "Open executions",
  nextOccurrences: "Next occurrences",
  nothingComes: (reason) => `Nothing of it will run as things stand: ${reason}.`,
  nothingToCome: "Nothing is to come.",
  filterRuns: "Filter runs",
  noRunFits: "No run has this state.",
  noSuchPlan: "There is no plan of this name; if there was one, it has closed.",
  noRunsKept: "No runs of this name are kept.",
  noRuns: "It has not run yet. Trigger runs it now; the same list on the command line:",
  occurrences: (n3) => `${n3} occurrences`,
  why: "Why",
  rule: "Rule",
  ruleFrom: (from) => `(${from})`,
  ranInto: "It ran into",
  lastOk: "Last success",
  // What may be done.
  verbs: {
    pause: { name: "Pause", about: "Nothing is due until Resume. Executions under way finish.", done: (n3) => `${n3} is paused.` },
    resume: { name: "Resume", about: "", done: (n3) => `${n3} is resumed.` },
    trigger: { name: "Trigger", about: "", done: (n3) => `${n3} is triggered.` },
    skip: { name: "Skip", about: "The next occurrences do not run. -1: all, until 0 is asked for.", done: (n3) => `The next occurrences of ${n3} will be skipped as asked.` },
    reset: { name: "Reset", about: "The occurrence that stopped the plan is tried again at once, with no error counted.", done: (n3) => `${n3} is reset.` },
    close: { name: "Close", about: "There is no further occurrence. The plan is gone when what is under way has finished.", done: (n3) => `${n3} is closed.` },
    remove: { name: "Remove", about: "The plan is gone at once. Its runs stay readable.", done: (n3) => `${n3} is removed.` }
  },
  triggered: (name, n3) => `${name} is triggered: run ${n3}.`,
  howManySkips: "How many",
  note: "Note",
  by: "By",
  nothingUnderWay: "Nothing is under way.",
  willBeCancelled: (n3, workers) => `${n3 === 1 ? "1 execution is" : `${n3} executions are`} cancelled: ${workers}.`,
  noWorkerYet: "no worker has begun it",
  willFinish: (n3, workers) => `${n3 === 1 ? "1 execution finishes" : `${n3} executions finish`} first: ${workers}.`,
  cancelRun: "Cancel run",
  cancelAbout: "It ends as cancelled, and its worker is told to stop.",
  cancelled: (n3) => `Run ${n3} is cancelled.`,
  triggerAgain: "Trigger again",
  // A run.
  run: (n3) => `run ${n3}`,
  runTitle: (plan, n3) => `${plan} run ${n3}`,
  steps: { all: "Steps", due: "Due", dispatched: "Dispatched", ended: "Ended" },
  attempts: "Attempts",
  attempt: "Attempt",
  occurrence: "Occurrence",
  byHand: "none: it was triggered",
  worker: "Worker",
  key: "Idempotency key",
  reason: "Reason",
  triggerOf: "Trigger",
  error: "Error",
  content: "Content",
  votes: "Votes",
  // The form.
  editTitle: (name) => `Edit ${name}`,
  changeTitle: (name) => `Change ${name}`,
  create: "Create",
  review: "Review",
  save: "Save",
  changes: "Changes",
  noChanges: "Nothing is changed.",
  createTitle: (name) => `Create ${name}`,
  foreseen: "What would happen",
  wouldBeNew: (status) => `A new plan, ${status}.`,
  dropped: "none: the default holds",
  notDueUntilResume: "It would not be due until Resume.",
  noLongerDue: "It would not be due any more.",
  newTime: "new",
  lostTime: "no longer",
  created: (name) => `${name} is created.`,
  saved: (name) => `${name} is changed.`,
  preview: "Preview",
  request: "Request",
  byDefault: "default",
  notJson: 'This is not JSON. A text has double quotes; a list is [1, "two"].',
  inZone: (zone) => `In ${zone}.`,
  groups: {
    what: "What",
    when: "When",
    clock: "Days, limits of time and clock changes",
    order: "When the one before is not done",
    retries: "When it fails",
    workers: "Workers",
    about: "Names and notes"
  },
  fields: {
    station: "Station",
    plan_id: "Id",
    command: "Command",
    messages: "Messages",
    description: "Description",
    plan_type: "Type",
    cron: "Cron expression",
    plan_value: "Every, or which day",
    plan_time: "Time",
    timezone: "Zone",
    plan_repet: "Occurrences",
    jitter: "Jitter",
    paused: "Paused",
    start_at: "Not before",
    end_at: "Not after",
    exclude: "Not on calendars",
    only: "Only on calendars",
    excluded: "What is excluded",
    "clock_change.gap": "Time that does not exist",
    "clock_change.overlap": "Time that exists twice",
    overlap: "Overlap",
    failure: "After a failure",
    max_concurrency: "Executions at once",
    concurrency: "At that limit",
    catch_up: "After an outage",
    no_keep: "Run all, one after the other",
    "retry.strategy": "Retry",
    "retry.interval": "Delay",
    "retry.sequence": "Delays",
    "retry.max_interval": "Longest delay",
    "retry.max_error_count": "Retries",
    "retry.jitter": "Jitter of the delay",
    "retry.need_manual": "A person decides at the end",
    exec_timeout: "Timeout of the work",
    start_timeout: "Timeout of the first reply",
    on_unknown: "When nobody knows whether it ran",
    on_failure: "When a worker gives up",
    worker_ids: "Worker ids",
    worker_count: "Workers each",
    priority: "Priority",
    voters: "Voters",
    quorum: "Quorum",
    ping_interval_ms: "Ping interval",
    ping_timeout_ms: "Ping timeout",
    max_unexpected_retries: "Retries of vanished workers",
    unexpected_retry_delay_ms: "Delay of those",
    labels: "Labels",
    category: "Category",
    tenant_id: "Tenant",
    caller: "Caller",
    creator: "Creator",
    request_id: "Request id",
    log: "Log",
    ext: "Extension"
  },
  hints: {
    station: "Where it runs, such as mail or eu.mail.",
    plan_id: "Letters, digits, _ and -. Empty: one is made.",
    command: "What the worker is to do.",
    messages: 'A list in JSON that the worker gets, such as ["hello", {"to": 7}].',
    plan_type: "Empty, or none: once, at once.",
    cron: "Minute, hour, day of month, month, day of week: 0 9 * * mon-fri. Or @daily, @every 90s.",
    plan_value: "Units between occurrences. week: 0 (Sunday) to 6; month: 1 to 31, 0 is the last day.",
    plan_repet: "How many; -1 for ever.",
    timezone: "Of the times that are typed here; empty: UTC.",
    jitter: "Seconds.",
    exclude: "Ids, with commas.",
    only: "Ids, with commas.",
    overlap: "When an earlier occurrence is not settled. Default: skip.",
    failure: "Default: run_new.",
    max_concurrency: "0: no limit.",
    concurrency: "Default: queue.",
    catch_up: "Of what fell due while no scheduler acted.",
    no_keep: "Late and waiting occurrences, too.",
    "retry.strategy": "Default: exponential, 1 s doubling to 60 s, without a limit.",
    "retry.interval": "Seconds.",
    "retry.sequence": "Seconds, with commas.",
    "retry.max_interval": "Seconds.",
    "retry.max_error_count": "Empty: no limit.",
    "retry.jitter": "A share, 0 to 1.",
    exec_timeout: "Seconds of a worker's silence; 0: none.",
    start_timeout: "Seconds; 0: none.",
    on_unknown: "Default: redo, at least once.",
    on_failure: "Default: halt, until a person resets it.",
    worker_ids: "With commas.",
    worker_count: "pull: how many different ones.",
    priority: "pull: 0 to 9, 9 first.",
    voters: "vote: how many answers end it.",
    quorum: "vote: how many must be ok.",
    ping_interval_ms: "Milliseconds.",
    ping_timeout_ms: "Milliseconds.",
    unexpected_retry_delay_ms: "Milliseconds.",
    labels: 'An object in JSON, such as {"team": "core"}.',
    log: "What is kept of its runs. Default: full.",
    ext: "Any value in JSON."
  },
  // The search.
  searchHint: "The beginning of station/id, or exactly that name.",
  searchTexts: "Search names, descriptions and commands",
  nothingFound: "No plan's name begins so. Enter searches in descriptions and commands, too.",
  searched: (pages) => `Nothing found, in ${pages === 1 ? "one search" : `${pages} searches`} of two seconds at most.`,
  found: (n3) => `${n3} found`,
  shortcuts: {
    title: "Keys",
    use: "Use single keys",
    list: [
      ["/", "Go to the filter"],
      ["Ctrl K", "Search"],
      ["g p", "Go to the plans"],
      ["j  k", "Next and previous row"],
      ["Enter", "Open the row"],
      ["e", "Edit the plan"],
      ["p", "Pause or resume the plan"],
      ["t", "Trigger the plan"],
      [".", "Pause updates"],
      ["?", "This list"]
    ]
  },
  words: {}
};

// app/zh.ts
var zh = {
  skipToContent: "跳到正文",
  main: "主导航",
  menu: "菜单",
  search: "搜索",
  language: "语言",
  theme: "主题",
  themes: { auto: "自动", light: "浅色", dark: "深色" },
  timeZone: "时区",
  zones: { plan: "计划的时区", browser: "浏览器的时区", utc: "UTC" },
  pauseUpdates: "暂停刷新",
  logIn: "登录",
  logOut: "退出",
  token: "令牌",
  wrongToken: "没有这个令牌。令牌写在 --http-token-file 指定的文件里。",
  aboutTokens: "令牌写在启动服务时 --http-token-file 指定的文件里，角色为 reader 或 operator。",
  insecure: (host) => `浏览器在这里不保存会话，因为 ${host} 不是本机，而页面没有经过 TLS。请用以下任一方式打开控制台：`,
  insecureTls: "通过支持 TLS 的代理用 https:// 打开，并这样启动服务：",
  insecureTunnel: "通过到服务所在机器的隧道：",
  sessionEnded: "会话已结束，当前显示的内容可能已过时。",
  connectionLost: "Connection lost：连接已断开，服务恢复应答后页面会自动继续。",
  back: "返回",
  any: "不限",
  all: "全部",
  byName: "名称",
  paging: "列表分页",
  nextPage: "下一页",
  previousPage: "上一页",
  fresh: (n3) => `${n3} 条新记录`,
  copy: "复制",
  copied: "已复制。",
  copyThis: (text) => `复制 ${text}`,
  notFound: "未找到",
  noSuchPage: "这个地址没有页面。",
  onlyOperators: "你的令牌角色是 reader；创建和修改计划需要 operator。",
  pages: { plans: "计划", runs: "执行记录" },
  newPlan: "新建计划",
  filterPlans: "筛选计划",
  filter: {
    text: "文本",
    station: "站点",
    status: "状态",
    waits: "等待原因",
    plan_type: "类型",
    labels: "标签",
    order: "排序",
    state: "状态"
  },
  columns: {
    plans: ["名称", "状态", "时间表", "下次到期", "最近执行", "标签"],
    runs: ["执行", "状态", "原因", "到期", "开始", "耗时", "worker"],
    next: ["到期", "当地时间", "说明"],
    open: ["执行", "尝试", "状态", "worker", "截止时间"],
    act: "操作",
    changes: ["字段", "修改前", "修改后"],
    attempts: ["执行", "尝试", "状态", "开始", "耗时", "worker"]
  },
  waitsFor: (what) => `等待 ${what}`,
  noPlanFits: (filters2) => `没有计划符合 ${filters2}。`,
  noPlans: "还没有计划。下面任一命令可以创建一个；第三行启动执行它的 worker。",
  firstPlan: "填写第一个计划的表单",
  withoutFilters: "显示全部",
  lastRuns: (words) => `最近执行（从旧到新）：${words}`,
  actions: "操作",
  edit: "编辑",
  copyPlan: "复制",
  runOnce: "单次执行",
  makeIt: "用这个名称创建计划",
  parts: "各部分",
  tabs: { runs: "执行记录", upcoming: "即将到来", definition: "定义" },
  nextDue: "下次到期",
  pausedSince: "暂停自",
  skipsLeft: "将跳过的次数",
  executed: "已执行",
  skipped: "已跳过",
  openExecutions: "未结束的执行",
  nextOccurrences: "后续各次",
  nothingComes: (reason) => `照目前情况不会再执行：${reason}。`,
  nothingToCome: "以后没有要到期的执行。",
  filterRuns: "筛选执行记录",
  noRunFits: "没有这种状态的执行。",
  noSuchPlan: "没有这个名称的计划；如果曾经有过，它已关闭。",
  noRunsKept: "没有保留这个名称的执行记录。",
  noRuns: "尚未执行过。“立即触发”会马上执行一次；在命令行查看同一列表：",
  occurrences: (n3) => `${n3} 次`,
  why: "为什么",
  rule: "规则",
  ruleFrom: (from) => `（${from}）`,
  ranInto: "与之冲突",
  lastOk: "最近一次成功",
  verbs: {
    pause: { name: "暂停", about: "恢复之前不再到期；正在执行的会执行完。", done: (n3) => `${n3} 已暂停。` },
    resume: { name: "恢复", about: "", done: (n3) => `${n3} 已恢复。` },
    trigger: { name: "立即触发", about: "", done: (n3) => `${n3} 已触发。` },
    skip: { name: "跳过", about: "接下来的若干次不执行。-1：全部跳过，直到设为 0。", done: (n3) => `${n3} 接下来的若干次将按要求跳过。` },
    reset: { name: "重置", about: "让计划停下的那一次立即重试，错误计数清零。", done: (n3) => `${n3} 已重置。` },
    close: { name: "关闭", about: "以后没有下一次；正在执行的结束后计划消失。", done: (n3) => `${n3} 已关闭。` },
    remove: { name: "删除", about: "计划立即消失；执行记录仍可查看。", done: (n3) => `${n3} 已删除。` }
  },
  triggered: (name, n3) => `${name} 已触发：执行 ${n3}。`,
  howManySkips: "次数",
  note: "备注",
  by: "操作人",
  nothingUnderWay: "没有正在执行的。",
  willBeCancelled: (n3, workers) => `将取消 ${n3} 个执行：${workers}。`,
  noWorkerYet: "还没有 worker 开始",
  willFinish: (n3, workers) => `先等 ${n3} 个执行结束：${workers}。`,
  cancelRun: "取消执行",
  cancelAbout: "它以 cancelled 结束，并通知 worker 停止。",
  cancelled: (n3) => `执行 ${n3} 已取消。`,
  triggerAgain: "再次触发",
  run: (n3) => `执行 ${n3}`,
  runTitle: (plan, n3) => `${plan} 执行 ${n3}`,
  steps: { all: "步骤", due: "到期", dispatched: "派发", ended: "结束" },
  attempts: "各次尝试",
  attempt: "尝试",
  occurrence: "第几次",
  byHand: "无：手动触发",
  worker: "worker",
  key: "幂等键",
  reason: "原因",
  triggerOf: "触发方式",
  error: "错误",
  content: "内容",
  votes: "投票",
  editTitle: (name) => `编辑 ${name}`,
  changeTitle: (name) => `修改 ${name}`,
  create: "创建",
  review: "检查修改",
  save: "保存",
  changes: "修改",
  noChanges: "没有修改。",
  createTitle: (name) => `创建 ${name}`,
  foreseen: "将会发生什么",
  wouldBeNew: (status) => `新计划，状态 ${status}。`,
  dropped: "无：使用默认值",
  notDueUntilResume: "恢复之前不再到期。",
  noLongerDue: "之后将不再到期。",
  newTime: "新增",
  lostTime: "不再执行",
  created: (name) => `${name} 已创建。`,
  saved: (name) => `${name} 已修改。`,
  preview: "预览",
  request: "请求",
  byDefault: "默认",
  notJson: '这不是 JSON。文本要用双引号；列表写作 [1, "two"]。',
  inZone: (zone) => `按 ${zone} 时间。`,
  groups: {
    what: "做什么",
    when: "什么时候",
    clock: "日期、期限与时钟调整",
    order: "上一次还没结束时",
    retries: "失败时",
    workers: "worker",
    about: "名称与备注"
  },
  fields: {
    station: "站点",
    plan_id: "编号",
    command: "命令",
    messages: "消息",
    description: "说明",
    plan_type: "类型",
    cron: "Cron 表达式",
    plan_value: "间隔或哪一天",
    plan_time: "时间",
    timezone: "时区",
    plan_repet: "次数",
    jitter: "随机延迟",
    paused: "暂停",
    start_at: "不早于",
    end_at: "不晚于",
    exclude: "排除日历",
    only: "限定日历",
    excluded: "被排除时",
    "clock_change.gap": "不存在的时间",
    "clock_change.overlap": "出现两次的时间",
    overlap: "重叠",
    failure: "失败之后",
    max_concurrency: "同时执行数",
    concurrency: "达到上限时",
    catch_up: "中断之后",
    no_keep: "全部依次执行",
    "retry.strategy": "重试",
    "retry.interval": "间隔",
    "retry.sequence": "间隔序列",
    "retry.max_interval": "最长间隔",
    "retry.max_error_count": "重试次数",
    "retry.jitter": "间隔的随机比例",
    "retry.need_manual": "最后由人决定",
    exec_timeout: "执行超时",
    start_timeout: "首次应答超时",
    on_unknown: "不知是否执行过时",
    on_failure: "worker 放弃时",
    worker_ids: "worker 编号",
    worker_count: "每次的 worker 数",
    priority: "优先级",
    voters: "投票者数",
    quorum: "通过票数",
    ping_interval_ms: "心跳间隔",
    ping_timeout_ms: "心跳超时",
    max_unexpected_retries: "worker 消失后的重试",
    unexpected_retry_delay_ms: "其间隔",
    labels: "标签",
    category: "分类",
    tenant_id: "租户",
    caller: "调用方",
    creator: "创建人",
    request_id: "请求编号",
    log: "日志",
    ext: "扩展"
  },
  hints: {
    station: "在哪里执行，例如 mail 或 eu.mail。",
    plan_id: "字母、数字、_ 和 -。留空则自动生成。",
    command: "worker 要做什么。",
    messages: '交给 worker 的 JSON 列表，例如 ["hello", {"to": 7}]。',
    plan_type: "留空或 none：立即执行一次。",
    cron: "分 时 日 月 周：0 9 * * mon-fri。也可用 @daily、@every 90s。",
    plan_value: "两次之间的单位数。week：0（周日）到 6；month：1 到 31，0 为最后一天。",
    plan_repet: "多少次；-1 为一直。",
    timezone: "此处所填时间的时区；留空：UTC。",
    jitter: "秒。",
    exclude: "编号，用逗号分隔。",
    only: "编号，用逗号分隔。",
    overlap: "前一次还未了结时。默认 skip。",
    failure: "默认 run_new。",
    max_concurrency: "0：不限。",
    concurrency: "默认 queue。",
    catch_up: "没有调度器在任期间到期的各次。",
    no_keep: "迟到和排队的各次也执行。",
    "retry.strategy": "默认 exponential：1 秒起翻倍到 60 秒，不限次数。",
    "retry.interval": "秒。",
    "retry.sequence": "秒，用逗号分隔。",
    "retry.max_interval": "秒。",
    "retry.max_error_count": "留空：不限。",
    "retry.jitter": "比例，0 到 1。",
    exec_timeout: "worker 沉默的秒数；0：不限。",
    start_timeout: "秒；0：不限。",
    on_unknown: "默认 redo，至少一次。",
    on_failure: "默认 halt，直到有人重置。",
    worker_ids: "用逗号分隔。",
    worker_count: "pull：需要几个不同的 worker。",
    priority: "pull：0 到 9，9 最先。",
    voters: "vote：几个应答后结束。",
    quorum: "vote：几个必须为 ok。",
    ping_interval_ms: "毫秒。",
    ping_timeout_ms: "毫秒。",
    unexpected_retry_delay_ms: "毫秒。",
    labels: 'JSON 对象，例如 {"team": "core"}。',
    log: "保留哪些执行记录。默认 full。",
    ext: "任意 JSON 值。"
  },
  searchHint: "输入 station/id 的开头，或完整名称。",
  searchTexts: "在名称、说明和命令中搜索",
  nothingFound: "没有以此开头的计划。按回车在说明和命令中搜索。",
  searched: (pages) => `搜索 ${pages} 次（每次最多两秒），没有找到。`,
  found: (n3) => `找到 ${n3} 个`,
  shortcuts: {
    title: "快捷键",
    use: "使用单键快捷键",
    list: [
      ["/", "转到筛选"],
      ["Ctrl K", "搜索"],
      ["g p", "转到计划"],
      ["j  k", "下一行、上一行"],
      ["Enter", "打开该行"],
      ["e", "编辑计划"],
      ["p", "暂停或恢复计划"],
      ["t", "触发计划"],
      [".", "暂停刷新"],
      ["?", "本列表"]
    ]
  },
  words: {
    ok: "成功",
    error: "错误",
    failure: "失败",
    timeout: "超时",
    skipped: "已跳过",
    cancelled: "已取消",
    running: "执行中",
    waiting: "等待中",
    dispatched: "已派发",
    queued: "排队",
    executing: "执行中",
    retrying: "重试中",
    paused: "已暂停",
    pending: "待处理",
    plan_error: "计划出错",
    closed: "已关闭"
  }
};

// app/say.ts
var say = O(() => lang.now.value === "zh" ? zh : en);
var announced = a3("");
function announce(text) {
  announced.value = "";
  setTimeout(() => announced.value = text);
}
var count = (n3) => new Intl.NumberFormat(lang.now.value).format(n3);

// app/visible.ts
var hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
var hiddenButBreaks = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
function escape(character) {
  if (character === "\n") return "\\n";
  if (character === "	") return "\\t";
  const code = character.codePointAt(0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
var visible = (text) => text.replace(hidden, escape);
var visibleLines = (text) => text.replace(hiddenButBreaks, escape);

// vendor/preact/jsxRuntime.mjs
var f4 = /* @__PURE__ */ Symbol.for("pv");
var o4 = 0;
function a4(t4, e4, n3, u4, a5, i4) {
  e4 || (e4 = {});
  var c4, l4, p5 = e4;
  if ("ref" in p5 && "function" != typeof t4) for (l4 in p5 = {}, e4) "ref" == l4 ? c4 = e4[l4] : p5[l4] = e4[l4];
  var s4 = { type: t4, props: p5, key: n3, ref: c4, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: f4, __v: --o4, __i: -1, __u: 0 };
  return (a5 || i4) && (s4.__source = a5, s4.__self = i4), n.vnode && n.vnode(s4), s4;
}

// app/hint.tsx
function Command({ children }) {
  const m5 = say.value;
  const copy = async () => {
    await navigator.clipboard.writeText(children);
    announce(m5.copied);
  };
  return /* @__PURE__ */ a4("div", { class: "command", children: [
    /* @__PURE__ */ a4("pre", { tabIndex: 0, children: /* @__PURE__ */ a4("code", { children }) }),
    navigator.clipboard && /* @__PURE__ */ a4("button", { type: "button", onClick: () => void copy(), "aria-label": m5.copyThis(children), children: m5.copy })
  ] });
}
function Refused({ by }) {
  return /* @__PURE__ */ a4("p", { class: "alert", role: "alert", children: visible(by.message) });
}
var problemText = (e4) => e4 instanceof Refusal ? visible(e4.message) : say.value.connectionLost;

// app/session.ts
var current = a3(documentSession ? JSON.parse(documentSession) : void 0);
var asked = Date.now();
var session = {
  current,
  /** Whether there are verbs for this person. */
  operates: O(() => current.value?.role === "operator" && !current.value.read_only),
  /** By how many milliseconds the server's clock is ahead of the browser's. */
  skew: O(() => current.value?.time ? Date.parse(current.value.time) - asked : 0),
  /** Asks for the session when the document had none, because it was opened from another site. */
  async find() {
    if (current.value) return;
    try {
      current.value = (await request("GET", restPath(["session"]))).value;
    } catch {
      ended.value = false;
    }
  },
  async logIn(token) {
    current.value = (await request("POST", restPath(["session"]), { token })).value;
    ended.value = false;
  },
  async logOut() {
    await request("DELETE", restPath(["session"]));
    current.value = void 0;
    open(pageOf(["login"]));
  }
};
var loginPage = () => pageOf(["login"], { next: place.value.pathname + place.value.search });

// vendor/combobox-nav/index.js
var Combobox = class {
  constructor(input, list, { tabInsertsSuggestions, firstOptionSelectionMode, scrollIntoViewOptions } = {}) {
    this.input = input;
    this.list = list;
    this.tabInsertsSuggestions = tabInsertsSuggestions !== null && tabInsertsSuggestions !== void 0 ? tabInsertsSuggestions : true;
    this.firstOptionSelectionMode = firstOptionSelectionMode !== null && firstOptionSelectionMode !== void 0 ? firstOptionSelectionMode : "none";
    this.scrollIntoViewOptions = scrollIntoViewOptions !== null && scrollIntoViewOptions !== void 0 ? scrollIntoViewOptions : { block: "nearest", inline: "nearest" };
    this.isComposing = false;
    this.didAutoAssignLastSelectedId = false;
    if (!list.id) {
      list.id = `combobox-${Math.random().toString().slice(2, 6)}`;
    }
    this.ctrlBindings = !!navigator.userAgent.match(/Macintosh/);
    this.keyboardEventHandler = (event) => keyboardBindings(event, this);
    this.compositionEventHandler = (event) => trackComposition(event, this);
    this.inputHandler = this.clearSelection.bind(this);
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-controls", list.id);
    input.setAttribute("aria-expanded", "false");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-haspopup", "listbox");
  }
  destroy() {
    this.clearSelection();
    this.stop();
    this.input.removeAttribute("role");
    this.input.removeAttribute("aria-controls");
    this.input.removeAttribute("aria-expanded");
    this.input.removeAttribute("aria-autocomplete");
    this.input.removeAttribute("aria-haspopup");
  }
  start() {
    this.input.setAttribute("aria-expanded", "true");
    this.input.addEventListener("compositionstart", this.compositionEventHandler);
    this.input.addEventListener("compositionend", this.compositionEventHandler);
    this.input.addEventListener("input", this.inputHandler);
    this.input.addEventListener("keydown", this.keyboardEventHandler);
    this.list.addEventListener("click", commitWithElement);
    this.resetSelection();
  }
  stop() {
    this.clearSelection();
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeEventListener("compositionstart", this.compositionEventHandler);
    this.input.removeEventListener("compositionend", this.compositionEventHandler);
    this.input.removeEventListener("input", this.inputHandler);
    this.input.removeEventListener("keydown", this.keyboardEventHandler);
    this.list.removeEventListener("click", commitWithElement);
  }
  indicateDefaultOption() {
    var _a;
    if (this.firstOptionSelectionMode === "active") {
      (_a = Array.from(this.list.querySelectorAll('[role="option"]:not([aria-disabled="true"])')).filter(visible2)[0]) === null || _a === void 0 ? void 0 : _a.setAttribute("data-combobox-option-default", "true");
    } else if (this.firstOptionSelectionMode === "selected") {
      this.navigate(1);
    }
  }
  navigate(indexDiff = 1) {
    const focusEl = Array.from(this.list.querySelectorAll('[aria-selected="true"]')).filter(visible2)[0];
    const els = Array.from(this.list.querySelectorAll('[role="option"]')).filter(visible2);
    const focusIndex = els.indexOf(focusEl);
    if (focusIndex === els.length - 1 && indexDiff === 1 || focusIndex === 0 && indexDiff === -1) {
      this.clearSelection();
      this.input.focus();
      return;
    }
    let indexOfItem = indexDiff === 1 ? 0 : els.length - 1;
    if (focusEl && focusIndex >= 0) {
      const newIndex = focusIndex + indexDiff;
      if (newIndex >= 0 && newIndex < els.length)
        indexOfItem = newIndex;
    }
    const target = els[indexOfItem];
    if (!target)
      return;
    for (const el of els) {
      el.removeAttribute("data-combobox-option-default");
      if (target === el) {
        if (!target.id && !document.getElementById(`${this.list.id}-selected`)) {
          target.id = `${this.list.id}-selected`;
          this.didAutoAssignLastSelectedId = true;
        }
        if (target.id) {
          this.input.setAttribute("aria-activedescendant", target.id);
        }
        target.setAttribute("aria-selected", "true");
        fireSelectEvent(target);
        target.scrollIntoView(this.scrollIntoViewOptions);
      } else {
        if (el.id === `${this.list.id}-selected` && this.didAutoAssignLastSelectedId) {
          el.removeAttribute("id");
          this.didAutoAssignLastSelectedId = false;
        }
        el.removeAttribute("aria-selected");
      }
    }
  }
  clearSelection() {
    this.input.removeAttribute("aria-activedescendant");
    for (const el of this.list.querySelectorAll('[aria-selected="true"], [data-combobox-option-default="true"]')) {
      el.removeAttribute("aria-selected");
      el.removeAttribute("data-combobox-option-default");
      if (el.id === `${this.list.id}-selected` && this.didAutoAssignLastSelectedId) {
        el.removeAttribute("id");
        this.didAutoAssignLastSelectedId = false;
      }
    }
  }
  resetSelection() {
    this.clearSelection();
    this.indicateDefaultOption();
  }
};
function keyboardBindings(event, combobox) {
  if (event.shiftKey || event.metaKey || event.altKey)
    return;
  if (!combobox.ctrlBindings && event.ctrlKey)
    return;
  if (combobox.isComposing)
    return;
  switch (event.key) {
    case "Enter":
      if (commit(combobox.input, combobox.list)) {
        event.preventDefault();
      }
      break;
    case "Tab":
      if (combobox.tabInsertsSuggestions && commit(combobox.input, combobox.list)) {
        event.preventDefault();
      }
      break;
    case "Escape":
      combobox.clearSelection();
      break;
    case "ArrowDown":
      combobox.navigate(1);
      event.preventDefault();
      break;
    case "ArrowUp":
      combobox.navigate(-1);
      event.preventDefault();
      break;
    case "n":
      if (combobox.ctrlBindings && event.ctrlKey) {
        combobox.navigate(1);
        event.preventDefault();
      }
      break;
    case "p":
      if (combobox.ctrlBindings && event.ctrlKey) {
        combobox.navigate(-1);
        event.preventDefault();
      }
      break;
    default:
      if (event.ctrlKey)
        break;
      combobox.resetSelection();
  }
}
function commitWithElement(event) {
  if (!(event.target instanceof Element))
    return;
  const target = event.target.closest('[role="option"]');
  if (!target)
    return;
  if (target.getAttribute("aria-disabled") === "true")
    return;
  fireCommitEvent(target, { event });
}
function commit(input, list) {
  const target = list.querySelector('[aria-selected="true"], [data-combobox-option-default="true"]');
  if (!target)
    return false;
  if (target.getAttribute("aria-disabled") === "true")
    return true;
  target.click();
  return true;
}
function fireCommitEvent(target, detail) {
  target.dispatchEvent(new CustomEvent("combobox-commit", { bubbles: true, detail }));
}
function fireSelectEvent(target) {
  target.dispatchEvent(new Event("combobox-select", { bubbles: true }));
}
function visible2(el) {
  return !el.hidden && !(el instanceof HTMLInputElement && el.type === "hidden") && (el.offsetWidth > 0 || el.offsetHeight > 0);
}
function trackComposition(event, combobox) {
  combobox.isComposing = event.type === "compositionstart";
  const list = document.getElementById(combobox.input.getAttribute("aria-controls") || "");
  if (!list)
    return;
  combobox.clearSelection();
}

// app/dialog.tsx
function Dialog({ title, verb, act, close, children, danger }) {
  const dialog = T2(null);
  const [refused, refuse] = d2("");
  const [busy, setBusy] = d2(false);
  const m5 = say.value;
  A2(() => {
    const d5 = dialog.current;
    const before = document.activeElement;
    d5.showModal();
    const field = d5.querySelector("input, textarea, select");
    (field ?? d5.querySelector("button[type=submit]"))?.focus();
    field?.select?.();
    return () => {
      d5.close();
      (before?.isConnected && before !== document.body ? before : document.querySelector("h1"))?.focus();
    };
  }, []);
  const submit = async (e4) => {
    e4.preventDefault();
    e4.stopPropagation();
    if (!act || busy) return;
    setBusy(true);
    refuse("");
    try {
      await act(new FormData(e4.currentTarget));
      close();
    } catch (problem) {
      refuse(problem instanceof Refusal ? visible(problem.message) : m5.connectionLost);
      setBusy(false);
    }
  };
  return /* @__PURE__ */ a4("dialog", { ref: dialog, "aria-labelledby": "dialog-title", onCancel: (e4) => (e4.preventDefault(), close()), onClose: close, children: /* @__PURE__ */ a4("form", { onSubmit: submit, children: [
    /* @__PURE__ */ a4("h2", { id: "dialog-title", children: title }),
    children,
    refused && /* @__PURE__ */ a4("p", { class: "alert", role: "alert", children: refused }),
    /* @__PURE__ */ a4("div", { class: "buttons", children: [
      verb && /* @__PURE__ */ a4("button", { type: "submit", class: danger ? "danger" : "primary", disabled: busy, children: verb }),
      /* @__PURE__ */ a4("button", { type: "button", onClick: close, children: m5.back })
    ] })
  ] }) });
}

// app/search.tsx
var shown = a3(false);
var openSearch = () => void (shown.value = true);
function Search() {
  const m5 = say.value;
  if (!shown.value) return null;
  const close = () => shown.value = false;
  return /* @__PURE__ */ a4(Dialog, { title: m5.search, close, children: /* @__PURE__ */ a4(Finder, { close }) });
}
function Finder({ close }) {
  const m5 = say.value;
  const input = T2(null);
  const list = T2(null);
  const [text, setText] = d2("");
  const [found, setFound] = d2([]);
  const [note, setNote] = d2("");
  const box = T2(void 0);
  A2(() => {
    const b3 = new Combobox(input.current, list.current, { firstOptionSelectionMode: "active" });
    b3.start();
    box.current = b3;
    return () => b3.destroy();
  }, []);
  A2(() => box.current?.resetSelection(), [found]);
  A2(() => {
    const round = new AbortController();
    const timer = setTimeout(() => void find(text.trim(), round.signal).then((all) => (setFound(all), setNote(all.length || !text.trim() ? "" : m5.nothingFound)), () => {
    }), 120);
    return () => (clearTimeout(timer), round.abort());
  }, [text]);
  const go = (f5) => (close(), open(planPage(f5.station, f5.id)));
  const everywhere = async () => {
    let cursor;
    for (let pages = 0; ; ) {
      const { value } = await request("GET", restPath(["plans"], { text: text.trim(), fields: "brief", limit: "20", cursor }));
      pages++;
      setFound(value.plans.map(foundOf));
      setNote(value.plans.length ? "" : m5.searched(pages));
      cursor = value.next;
      if (value.plans.length || !cursor) return;
    }
  };
  return /* @__PURE__ */ a4("div", { class: "finder", children: [
    /* @__PURE__ */ a4(
      "input",
      {
        ref: input,
        type: "text",
        role: "combobox",
        "aria-label": m5.search,
        "aria-controls": "found",
        "aria-expanded": found.length > 0,
        "aria-autocomplete": "list",
        autocomplete: "off",
        spellcheck: false,
        placeholder: "station/id",
        value: text,
        onInput: (e4) => setText(e4.currentTarget.value),
        onKeyDown: (e4) => {
          if (e4.key === "Enter" && found.length === 0) e4.preventDefault(), text.trim() && void everywhere();
        }
      }
    ),
    /* @__PURE__ */ a4("ul", { ref: list, id: "found", role: "listbox", "aria-label": m5.pages.plans, children: found.map((f5, i4) => /* @__PURE__ */ a4("li", { id: `found-${i4}`, role: "option", ref: onCommit(() => go(f5)), children: [
      visible(`${f5.station}/${f5.id}`),
      " ",
      /* @__PURE__ */ a4("small", { children: visible(f5.about) })
    ] }, `${f5.station}/${f5.id}`)) }),
    /* @__PURE__ */ a4("p", { "aria-live": "polite", children: note || (found.length ? m5.found(count(found.length)) : m5.searchHint) }),
    text.trim() && /* @__PURE__ */ a4("button", { type: "button", onClick: () => void everywhere(), children: m5.searchTexts })
  ] });
}
var onCommit = (act) => (e4) => {
  if (!e4) return;
  const listening = e4;
  if (listening.committed) e4.removeEventListener("combobox-commit", listening.committed);
  listening.committed = act;
  e4.addEventListener("combobox-commit", act);
};
var foundOf = ({ plan, state }) => ({
  station: String(plan.station),
  id: String(plan.plan_id),
  about: plan.description ? `${state.status} · ${plan.description}` : state.status
});
async function find(text, signal) {
  if (!text) return [];
  const [station, id, ...more] = text.split("/");
  const exact = station && id && more.length === 0 ? request("GET", restPath(["plans", station, id]), void 0, { signal }).then((a5) => [foundOf(a5.value)], none) : Promise.resolve([]);
  const begin = request("GET", restPath(["plans"], { prefix: text, fields: "brief", limit: "10" }), void 0, { signal }).then((a5) => a5.value.plans.map(foundOf), none);
  const [one, others] = await Promise.all([exact, begin]);
  return [...one, ...others.filter((o5) => !one.some((f5) => f5.station === o5.station && f5.id === o5.id))];
}
function none(e4) {
  if (e4 instanceof Refusal) return [];
  throw e4;
}

// app/updates.ts
var paused = a3(false);
var tick = a3(Date.now());
setInterval(() => document.visibilityState === "visible" && (tick.value = Date.now()), 1e3);
var updates = {
  paused,
  toggle: () => paused.value = !paused.value,
  /** Whether a page may ask again now. */
  due: () => !paused.peek() && document.visibilityState === "visible"
};
var now = O(() => tick.value + session.skew.value);

// app/shortcuts.tsx
var here = /* @__PURE__ */ new Map();
var helpShown = a3(false);
function useShortcut(key, act) {
  A2(() => {
    here.set(key, act);
    return () => {
      if (here.get(key) === act) here.delete(key);
    };
  });
}
var places = { p: ["plans"] };
var afterG = false;
function followKeys() {
  addEventListener("keydown", (e4) => {
    if ((e4.ctrlKey || e4.metaKey) && !e4.altKey && e4.key.toLowerCase() === "k") {
      e4.preventDefault();
      return openSearch();
    }
    if (keys.now.value === "off" || e4.ctrlKey || e4.metaKey || e4.altKey || e4.isComposing) return;
    const at = e4.target;
    if (at.closest("input, textarea, select, [contenteditable]") || document.querySelector("dialog[open]")) return;
    const act = actOf(e4.key);
    afterG = e4.key === "g" && !afterG;
    if (!act) return;
    e4.preventDefault();
    act();
  });
}
function actOf(key) {
  if (afterG) return places[key] && (() => open(pageOf(places[key])));
  switch (key) {
    case "/":
      return () => (document.querySelector("[data-find]") ?? document.querySelector("main input"))?.focus();
    case "?":
      return () => helpShown.value = true;
    case ".":
      return updates.toggle;
    case "j":
      return () => moveRow(1);
    case "k":
      return () => moveRow(-1);
    default:
      return here.get(key);
  }
}
function moveRow(by) {
  const links = [...document.querySelectorAll("main tbody tr > td:first-child a")];
  const at = links.findIndex((l4) => l4.closest("tr").contains(document.activeElement));
  links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
}
function ShortcutHelp() {
  const m5 = say.value;
  if (!helpShown.value) return null;
  return /* @__PURE__ */ a4(Dialog, { title: m5.shortcuts.title, close: () => helpShown.value = false, children: [
    /* @__PURE__ */ a4("dl", { class: "keys", children: m5.shortcuts.list.map(([key, text]) => /* @__PURE__ */ a4("div", { children: [
      /* @__PURE__ */ a4("dt", { children: /* @__PURE__ */ a4("kbd", { children: key }) }),
      /* @__PURE__ */ a4("dd", { children: text })
    ] }, key)) }),
    /* @__PURE__ */ a4("label", { class: "line", children: [
      /* @__PURE__ */ a4("input", { type: "checkbox", checked: keys.now.value === "on", onChange: (e4) => keys.choose(e4.currentTarget.checked ? "on" : "off") }),
      /* @__PURE__ */ a4("span", { children: m5.shortcuts.use })
    ] })
  ] });
}

// app/time.tsx
var clocks = /* @__PURE__ */ new Map();
function clockOf(zone) {
  let clock = clocks.get(zone);
  if (!clock) {
    clock = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      timeZoneName: "longOffset",
      weekday: "short",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit"
    });
    clocks.set(zone, clock);
  }
  return clock;
}
var browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
function shownZone(ofPlan = "UTC") {
  switch (tz.now.value) {
    case "browser":
      return browserZone;
    case "utc":
      return "UTC";
    default:
      return knownZone(ofPlan) ? ofPlan : "UTC";
  }
}
function knownZone(zone) {
  try {
    clockOf(zone);
    return true;
  } catch {
    return false;
  }
}
function localOf(instant, zone) {
  const part = {};
  for (const { type, value } of clockOf(zone).formatToParts(new Date(instant))) part[type] = value;
  const offset = part.timeZoneName.replace("GMT", "") || "+00:00";
  return { date: `${part.year}-${part.month}-${part.day}`, time: `${part.hour}:${part.minute}:${part.second}`, offset };
}
function instantOf(local, zone) {
  const asUtc = Date.parse(local + "Z");
  if (Number.isNaN(asUtc)) return local;
  const offset = (at) => Date.parse(stampOf(localOf(at, zone)) + "Z") - Math.floor(at / 1e3) * 1e3;
  const before = offset(asUtc - 864e5);
  const first = asUtc - before;
  return new Date(offset(first) === before ? first : asUtc - offset(first)).toISOString().replace(".000Z", "Z");
}
var stampOf = (l4) => `${l4.date}T${l4.time}`;
var localInput = (instant, zone) => Number.isNaN(Date.parse(instant)) ? "" : stampOf(localOf(instant, zone));
var steps = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
function relative(instant) {
  const seconds = Math.round((Date.parse(instant) - now.value) / 1e3);
  const [unit2, size] = steps.find(([, s4]) => Math.abs(seconds) >= s4) ?? steps[3];
  return new Intl.RelativeTimeFormat(lang.now.value, { numeric: "auto", style: "short" }).format(Math.trunc(seconds / size), unit2);
}
function When({ at, zone, bare }) {
  if (!at) return null;
  const l4 = localOf(at, shownZone(zone));
  return /* @__PURE__ */ a4("span", { class: "when", children: [
    /* @__PURE__ */ a4("time", { dateTime: utc(at), children: [
      l4.date,
      " ",
      l4.time,
      " ",
      /* @__PURE__ */ a4("span", { class: "offset", children: l4.offset })
    ] }),
    !bare && /* @__PURE__ */ a4(Ago, { at })
  ] });
}
var utc = (at) => at.endsWith("Z") ? at : new Date(at).toISOString();
function Ago({ at }) {
  return /* @__PURE__ */ a4("small", { class: "ago", children: relative(at) });
}
function duration(milliseconds) {
  const number = (value, digits = 0) => new Intl.NumberFormat(lang.now.value, { maximumFractionDigits: digits }).format(value);
  const s4 = milliseconds / 1e3;
  if (s4 < 1) return `${number(milliseconds, milliseconds < 10 ? 1 : 0)} ms`;
  if (s4 < 60) return `${number(s4, 1)} s`;
  if (s4 < 3600) return `${Math.floor(s4 / 60)} min ${Math.floor(s4 % 60)} s`;
  return `${number(Math.floor(s4 / 3600))} h ${Math.floor(s4 % 3600 / 60)} min`;
}
function took(from, to) {
  return from && to ? duration(Date.parse(to) - Date.parse(from)) : "";
}

// app/shell.tsx
var sections = [{ path: ["plans"], name: "plans" }];
function Shell({ children }) {
  const m5 = say.value;
  const [menu, showMenu] = d2(false);
  A2(() => showMenu(false), [place.value]);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("a", { class: "skip", href: "#main", children: m5.skipToContent }),
    /* @__PURE__ */ a4(Banner, { menu, showMenu }),
    /* @__PURE__ */ a4("div", { class: "body", children: [
      /* @__PURE__ */ a4(Navigation, { shown: menu }),
      /* @__PURE__ */ a4("main", { id: "main", tabIndex: -1, children: [
        /* @__PURE__ */ a4(Alerts, {}),
        children
      ] })
    ] }),
    /* @__PURE__ */ a4("div", { class: "toast", role: "status", children: announced.value && /* @__PURE__ */ a4("p", { children: announced.value }) }),
    /* @__PURE__ */ a4(Search, {}),
    /* @__PURE__ */ a4(ShortcutHelp, {})
  ] });
}
function Banner({ menu, showMenu }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("header", { class: "banner", children: [
    /* @__PURE__ */ a4("a", { class: "brand", href: pageOf(["plans"]), children: [
      /* @__PURE__ */ a4(Mark, {}),
      " Stationmaster"
    ] }),
    /* @__PURE__ */ a4("button", { type: "button", class: "menu", "aria-expanded": menu, "aria-controls": "navigation", onClick: () => showMenu(!menu), children: m5.menu }),
    /* @__PURE__ */ a4("button", { type: "button", class: "find", onClick: openSearch, "aria-keyshortcuts": "Control+K", children: [
      m5.search,
      /* @__PURE__ */ a4("kbd", { "aria-hidden": "true", children: "Ctrl K" })
    ] }),
    /* @__PURE__ */ a4("div", { class: "settings", children: [
      /* @__PURE__ */ a4(Choice, { label: m5.language, choice: lang, words: { en: "English", zh: "中文" } }),
      /* @__PURE__ */ a4(Choice, { label: m5.theme, choice: theme, words: m5.themes }),
      /* @__PURE__ */ a4(Choice, { label: m5.timeZone, choice: tz, words: m5.zones }),
      /* @__PURE__ */ a4(Clock, {}),
      /* @__PURE__ */ a4("button", { type: "button", "aria-pressed": updates.paused.value, onClick: updates.toggle, children: m5.pauseUpdates }),
      session.current.value?.login && session.current.value.role !== "" && /* @__PURE__ */ a4("button", { type: "button", onClick: () => void session.logOut(), children: m5.logOut })
    ] })
  ] });
}
function Mark() {
  return /* @__PURE__ */ a4("svg", { class: "mark", viewBox: "0 0 24 24", width: "24", height: "24", "aria-hidden": "true", children: [
    /* @__PURE__ */ a4("circle", { cx: "12", cy: "12", r: "10" }),
    /* @__PURE__ */ a4("path", { d: "M12 6v6l4 3" })
  ] });
}
function Choice({ label, choice, words }) {
  return /* @__PURE__ */ a4("label", { class: "choice", children: [
    /* @__PURE__ */ a4("span", { children: label }),
    /* @__PURE__ */ a4("select", { name: choice.name, value: choice.now.value, onChange: (e4) => choice.choose(e4.currentTarget.value), children: choice.values.map((v5) => /* @__PURE__ */ a4("option", { value: v5, children: words[v5] }, v5)) })
  ] });
}
function Clock() {
  const zone = shownZone();
  const l4 = localOf(now.value, zone);
  return /* @__PURE__ */ a4("span", { class: "clock", title: zone, children: [
    l4.time.slice(0, 5),
    " ",
    /* @__PURE__ */ a4("span", { class: "offset", children: l4.offset })
  ] });
}
function Navigation({ shown: shown3 }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("div", { class: shown3 ? "side shown" : "side", children: /* @__PURE__ */ a4("nav", { id: "navigation", "aria-label": m5.main, children: /* @__PURE__ */ a4("ul", { children: sections.map((s4) => /* @__PURE__ */ a4("li", { children: /* @__PURE__ */ a4("a", { href: pageOf([...s4.path]), "aria-current": names.value[0] === s4.path[0] ? "page" : void 0, children: m5.pages[s4.name] }) }, s4.name)) }) }) });
}
function Alerts() {
  const m5 = say.value;
  const over = ended.value && names.value[0] !== "login";
  return /* @__PURE__ */ a4($, { children: [
    lost.value && /* @__PURE__ */ a4("p", { class: "alert", role: "alert", children: m5.connectionLost }),
    over && /* @__PURE__ */ a4("p", { class: "alert", role: "alert", children: [
      m5.sessionEnded,
      " ",
      /* @__PURE__ */ a4("a", { href: loginPage(), children: m5.logIn })
    ] })
  ] });
}
function Page({ title, busy, aside, children }) {
  const heading = T2(null);
  const turn = opened.value;
  A2(() => {
    document.title = `${title} · Stationmaster`;
  }, [title]);
  A2(() => {
    if (turn) heading.current?.focus({ preventScroll: true });
  }, [turn]);
  F2(() => {
    document.getElementById("main").setAttribute("aria-busy", String(!!busy));
  }, [busy]);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("div", { class: "title", children: [
      /* @__PURE__ */ a4("h1", { ref: heading, tabIndex: -1, children: title }),
      aside
    ] }),
    children
  ] });
}

// app/login.tsx
function Login() {
  const m5 = say.value;
  const field = T2(null);
  const [wrong, setWrong] = d2("");
  const submit = async (e4) => {
    e4.preventDefault();
    setWrong("");
    try {
      await session.logIn(field.current.value.trim());
      open(next());
    } catch (problem) {
      setWrong(problem instanceof Refusal ? problem.status === 401 ? m5.wrongToken : problem.message : m5.connectionLost);
      field.current.focus();
      field.current.select();
    }
  };
  return /* @__PURE__ */ a4(Page, { title: m5.logIn, children: [
    !isSecureContext && /* @__PURE__ */ a4(Insecure, {}),
    /* @__PURE__ */ a4("form", { class: "login", "aria-label": m5.logIn, onSubmit: (e4) => void submit(e4), children: [
      /* @__PURE__ */ a4("label", { children: [
        /* @__PURE__ */ a4("span", { children: m5.token }),
        /* @__PURE__ */ a4("input", { ref: field, name: "token", type: "password", autocomplete: "current-password", required: true, "aria-invalid": wrong ? "true" : void 0, "aria-describedby": wrong ? "wrong" : void 0 })
      ] }),
      wrong && /* @__PURE__ */ a4("p", { id: "wrong", class: "alert", role: "alert", children: wrong }),
      /* @__PURE__ */ a4("button", { type: "submit", class: "primary", children: m5.logIn })
    ] }),
    /* @__PURE__ */ a4("p", { class: "about", children: m5.aboutTokens })
  ] });
}
function Insecure() {
  const m5 = say.value;
  return /* @__PURE__ */ a4("div", { class: "alert", role: "note", children: [
    /* @__PURE__ */ a4("p", { children: m5.insecure(location.host) }),
    /* @__PURE__ */ a4("ul", { children: [
      /* @__PURE__ */ a4("li", { children: [
        m5.insecureTls,
        " ",
        /* @__PURE__ */ a4("code", { children: "stationmaster serve --http-public-url https://HOST" })
      ] }),
      /* @__PURE__ */ a4("li", { children: [
        m5.insecureTunnel,
        /* @__PURE__ */ a4(Command, { children: `ssh -L 8080:127.0.0.1:${location.port || "80"} ${location.hostname}` }),
        /* @__PURE__ */ a4("code", { children: [
          "http://127.0.0.1:8080",
          base,
          "/ui/"
        ] })
      ] })
    ] })
  ] });
}
function next() {
  const wanted = param("next");
  const url = new URL(wanted || pageOf(["plans"]), location.href);
  const ours = url.origin === location.origin && url.pathname.startsWith(base + "/ui/") && wanted.startsWith("/");
  return ours ? url.pathname + url.search : pageOf(["plans"]);
}

// app/fact.tsx
function Fact({ name, children, wide }) {
  return /* @__PURE__ */ a4("div", { class: wide ? "wide" : void 0, children: [
    /* @__PURE__ */ a4("dt", { children: name }),
    /* @__PURE__ */ a4("dd", { children })
  ] });
}

// app/resource.ts
var rest = (took2) => Math.min(Math.max(4e3, 5 * took2), 7500);
function useResource(address, keep = false) {
  const resource = useSignal({ busy: address !== void 0 });
  const asked3 = useSignal(0);
  A2(() => {
    if (address === void 0) return;
    resource.value = { ...keep ? resource.value : {}, busy: true };
    const round = new AbortController();
    let timer = 0;
    const ask = async () => {
      clearTimeout(timer);
      const begun = performance.now();
      try {
        const { value, etag } = await request("GET", address, void 0, { signal: round.signal });
        resource.value = { data: value, etag, busy: false };
      } catch (e4) {
        if (round.signal.aborted) return;
        if (e4 instanceof Refusal && e4.status === 401) resource.value = { ...resource.value, busy: false };
        else if (e4 instanceof Refusal) resource.value = { data: e4.status === 404 ? void 0 : resource.value.data, refused: e4, busy: false };
      }
      timer = window.setTimeout(again, rest(performance.now() - begun));
    };
    const again = () => updates.due() ? void ask() : timer = window.setTimeout(again, 1e3);
    const seen = () => document.visibilityState === "visible" && again();
    void ask();
    document.addEventListener("visibilitychange", seen);
    return () => {
      round.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [address, asked3.value]);
  useSignalEffect(() => {
    if (reconnected.value) asked3.value = asked3.peek() + 1;
  });
  return [resource, () => asked3.value++];
}

// app/state.tsx
var shapes = {
  ok: "M3 8l4 4 6-8",
  error: "M4 4l8 8M12 4l-8 8",
  failure: "M8 2l6 12H2zM8 6v4M8 12v.5",
  timeout: "M8 2a6 6 0 1 0 .01 0M8 5v3l2 2",
  skipped: "M3 4l5 4-5 4zM9 4l5 4-5 4z",
  cancelled: "M8 2a6 6 0 1 0 .01 0M4 12l8-8",
  running: "M5 3l8 5-8 5z",
  waiting: "M4 2h8M4 14h8M5 2c0 6 6 6 6 12M11 2c0 6-6 6-6 12",
  dispatched: "M2 8h11M9 4l4 4-4 4",
  queued: "M3 4h10M3 8h10M3 12h6",
  executing: "M5 3l8 5-8 5z",
  retrying: "M13 8a5 5 0 1 1-2-4M11 1v3h-3",
  paused: "M5 3v10M11 3v10",
  pending: "M8 2a3 3 0 1 0 .01 0M3 14c0-6 10-6 10 0",
  plan_error: "M8 2l6 12H2zM8 6v4M8 12v.5",
  closed: "M3 3h10v10H3z"
};
function State({ of }) {
  const translated = say.value.words[of];
  return /* @__PURE__ */ a4("span", { class: `state ${of}`, children: [
    shapes[of] && /* @__PURE__ */ a4("svg", { viewBox: "0 0 16 16", width: "14", height: "14", "aria-hidden": "true", children: /* @__PURE__ */ a4("path", { d: shapes[of] }) }),
    translated && translated !== of ? `${translated} ${of}` : of
  ] });
}
var letters = { o: "ok", e: "error", f: "failure", t: "timeout", s: "skipped", c: "cancelled", "-": "running" };
var barsOf = (runs) => [...runs].map((letter) => ({ state: letters[letter] ?? "running" }));
function RunBars({ bars }) {
  if (bars.length === 0) return null;
  const longest = Math.max(...bars.map((b3) => b3.took ?? 0));
  const height = (b3) => longest === 0 || b3.took === void 0 ? 16 : 6 + 14 * Math.log1p(b3.took) / Math.log1p(longest);
  return /* @__PURE__ */ a4("svg", { class: "bars", role: "img", "aria-label": inWords(bars), viewBox: `0 0 ${bars.length * 8} 24`, width: bars.length * 8, height: "24", children: bars.map((b3, i4) => /* @__PURE__ */ a4("g", { class: `bar ${b3.state}`, transform: `translate(${i4 * 8} 0)`, children: [
    /* @__PURE__ */ a4("rect", { x: "1", y: 22 - height(b3), width: "5", height: height(b3), rx: "1" }),
    mark[b3.state] && /* @__PURE__ */ a4("path", { d: mark[b3.state] })
  ] }, i4)) });
}
var mark = {
  error: "M1 20.5l5-5M6 20.5l-5-5",
  failure: "M1 12h5M1 16h5M1 20h5",
  timeout: "M3.5 14v4h2",
  cancelled: "M1 20.5l5-5"
};
function inWords(bars) {
  const m5 = say.value;
  const groups2 = [];
  for (const { state } of bars) {
    const last = groups2.at(-1);
    if (last?.state === state) last.n++;
    else groups2.push({ state, n: 1 });
  }
  return m5.lastRuns(groups2.map((g5) => `${g5.n} ${g5.state}`).join(", "));
}
function barsOfRuns(runs) {
  return runs.slice(0, 20).reverse().map((r4) => ({
    state: r4.state,
    took: r4.exec_time && r4.end_time ? Date.parse(r4.end_time) - Date.parse(r4.exec_time) : void 0
  }));
}

// app/table.tsx
function Table({ name, columns, children, busy, empty, listed }) {
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("div", { class: listed ? "scroll listed" : "scroll", role: "region", "aria-label": name, tabIndex: 0, "aria-busy": busy ? "true" : void 0, children: /* @__PURE__ */ a4("table", { "aria-label": name, children: [
      /* @__PURE__ */ a4("thead", { children: /* @__PURE__ */ a4("tr", { children: columns.map((c4) => /* @__PURE__ */ a4("th", { scope: "col", children: c4 }, c4)) }) }),
      /* @__PURE__ */ a4("tbody", { children })
    ] }) }),
    !busy && empty
  ] });
}
function Paging({ next: next2 }) {
  const m5 = say.value;
  const before = param("before");
  const cursor = param("cursor");
  if (!next2 && !cursor) return null;
  const earlier = before ? before.split("~") : [];
  return /* @__PURE__ */ a4("nav", { class: "paging", "aria-label": m5.paging, children: [
    cursor && /* @__PURE__ */ a4("a", { href: withQuery({ cursor: earlier.at(-1), before: earlier.slice(0, -1).join("~") }), children: m5.previousPage }),
    next2 && /* @__PURE__ */ a4("a", { href: withQuery({ cursor: next2, before: cursor ? [...earlier, cursor].join("~") : void 0 }), children: m5.nextPage })
  ] });
}
function useSteady(list, keyOf, name) {
  const before = T2({ at: "", keys: [] });
  const at = place.value.href;
  const keys2 = list.map(keyOf);
  const region = document.querySelector(`[role=region][aria-label=${JSON.stringify(name)}]`);
  const held = before.current.at === at && before.current.keys.length > 0 && !!region?.matches(":hover, :focus-within");
  if (!held) before.current = { at, keys: keys2 };
  const known = new Map(list.map((one) => [keyOf(one), one]));
  const shown3 = before.current.keys.flatMap((key) => known.get(key) ?? []);
  const fresh = keys2.filter((key) => !before.current.keys.includes(key)).length;
  return [shown3, fresh, () => before.current = { at: "", keys: [] }];
}
function NewRows({ n: n3, show }) {
  return n3 > 0 ? /* @__PURE__ */ a4("button", { type: "button", class: "fresh", onClick: show, children: say.value.fresh(n3) }) : null;
}

// app/why.tsx
function Why({ station, id, of = {}, zone }) {
  const m5 = say.value;
  const [resource] = useResource(
    restPath(["plans", station, id, "explain"], { ...of, lang: lang.now.value === "zh" ? "zh" : void 0 })
  );
  const { data: e4, refused, busy } = resource.value;
  return /* @__PURE__ */ a4("section", { class: "why", "aria-label": m5.why, "aria-busy": busy ? "true" : void 0, children: [
    /* @__PURE__ */ a4("h2", { children: m5.why }),
    refused && !e4 && /* @__PURE__ */ a4("p", { children: visible(refused.message) }),
    e4 && /* @__PURE__ */ a4($, { children: [
      /* @__PURE__ */ a4("p", { class: "sentence", children: visible(e4.sentence) }),
      e4.remedy && /* @__PURE__ */ a4("p", { class: "remedy", children: visible(e4.remedy) }),
      /* @__PURE__ */ a4(Facts, { e: e4, zone, nextToo: !!of.n })
    ] })
  ] });
}
function Facts({ e: e4, zone, nextToo }) {
  const m5 = say.value;
  const blocking = e4.because?.occurrence !== void 0 && e4.because.n ? e4.because.n : void 0;
  return /* @__PURE__ */ a4("dl", { class: "facts", children: [
    e4.rule && /* @__PURE__ */ a4(Fact, { name: m5.rule, children: [
      /* @__PURE__ */ a4("code", { children: [
        e4.rule.field,
        ": ",
        visible(String(e4.rule.value ?? ""))
      ] }),
      " ",
      m5.ruleFrom(e4.rule.from)
    ] }),
    blocking && /* @__PURE__ */ a4(Fact, { name: m5.ranInto, children: /* @__PURE__ */ a4("a", { href: runPage(e4.station, e4.plan_id, blocking), children: m5.run(blocking) }) }),
    nextToo && e4.next && /* @__PURE__ */ a4(Fact, { name: m5.nextDue, children: /* @__PURE__ */ a4(When, { at: e4.next.plan_time, zone }) }),
    e4.last_ok && /* @__PURE__ */ a4(Fact, { name: m5.lastOk, children: /* @__PURE__ */ a4(When, { at: e4.last_ok.end_time, zone }) })
  ] });
}
function WhyLink({ run }) {
  const m5 = say.value;
  if (!asked2.includes(run.state)) return null;
  return /* @__PURE__ */ a4("a", { class: "whylink", href: runPage(run.station, run.plan_id, run.n), children: [
    m5.why,
    /* @__PURE__ */ a4("span", { class: "unseen", children: [
      " ",
      m5.run(run.n),
      " ",
      planName(run)
    ] })
  ] });
}
var asked2 = ["skipped", "failure", "error", "timeout", "waiting", "dispatched", "cancelled"];
var planName = (run) => visible(`${run.station}/${run.plan_id}`);

// app/runs.tsx
function Runs({ runs, zone, busy, empty }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4(Table, { name: m5.pages.runs, columns: m5.columns.runs, busy, empty: runs.length === 0 && empty, children: runs.map((r4) => /* @__PURE__ */ a4("tr", { children: [
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("a", { href: runPage(r4.station, r4.plan_id, r4.n), children: r4.n }) }),
    /* @__PURE__ */ a4("td", { children: [
      /* @__PURE__ */ a4(State, { of: r4.state }),
      (r4.count ?? 0) > 1 && /* @__PURE__ */ a4("div", { class: "about", children: m5.occurrences(r4.count) })
    ] }),
    /* @__PURE__ */ a4("td", { children: [
      r4.reason && /* @__PURE__ */ a4("span", { class: "reason", children: [
        visible(r4.reason),
        " "
      ] }),
      r4.by && /* @__PURE__ */ a4("span", { class: "about", children: [
        visible(r4.by),
        " "
      ] }),
      /* @__PURE__ */ a4(WhyLink, { run: r4 })
    ] }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: r4.plan_time, zone, bare: true }) }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: r4.exec_time, zone, bare: true }) }),
    /* @__PURE__ */ a4("td", { class: "number", children: took(r4.exec_time, r4.end_time) }),
    /* @__PURE__ */ a4("td", { children: r4.worker_id && visible(r4.worker_id) })
  ] }, r4.n)) });
}

// app/value.tsx
function Value({ of, name, open: open2 = true }) {
  const label = name === void 0 ? null : /* @__PURE__ */ a4("span", { class: "key", children: [
    visible(name),
    ": "
  ] });
  if (of === null || typeof of !== "object") return /* @__PURE__ */ a4("div", { class: "value", children: [
    label,
    /* @__PURE__ */ a4(Scalar, { of })
  ] });
  const members = Array.isArray(of) ? of.map((v5, i4) => [String(i4), v5]) : Object.entries(of);
  if (members.length === 0) return /* @__PURE__ */ a4("div", { class: "value", children: [
    label,
    Array.isArray(of) ? "[]" : "{}"
  ] });
  return /* @__PURE__ */ a4("details", { class: "value", open: open2 && members.length <= 20, children: [
    /* @__PURE__ */ a4("summary", { children: [
      label,
      Array.isArray(of) ? `[${members.length}]` : `{${members.length}}`
    ] }),
    members.slice(0, 500).map(([key, value]) => /* @__PURE__ */ a4(Value, { of: value, name: key, open: false }, key)),
    members.length > 500 && /* @__PURE__ */ a4("div", { children: "…" })
  ] });
}
function Scalar({ of }) {
  if (typeof of !== "string") return /* @__PURE__ */ a4("code", { class: of === null ? "null" : typeof of, children: formatJson(of) });
  return of.includes("\n") ? /* @__PURE__ */ a4("pre", { children: visibleLines(of) }) : /* @__PURE__ */ a4("code", { class: "string", children: visible(of) });
}

// app/foresight.tsx
var foresee = ({ method, path, body }, how = {}) => request(method, restPath(path, { dry_run: "true" }), body ?? (method === "POST" ? {} : void 0), how);
function Foresight({ of, zone, live }) {
  const m5 = say.value;
  const [dry, take] = d2();
  const [refused, refuse] = d2();
  const [busy, setBusy] = d2(true);
  A2(() => {
    const round = new AbortController();
    const timer = setTimeout(async () => {
      try {
        take((await foresee(of, { signal: round.signal })).value);
        refuse(void 0);
      } catch (e4) {
        if (round.signal.aborted) return;
        take(void 0);
        refuse(e4 instanceof Refusal ? e4 : void 0);
      }
      setBusy(false);
    }, dry || refused ? 150 : 0);
    return () => (clearTimeout(timer), round.abort());
  }, [formatJson(of.body ?? null)]);
  return /* @__PURE__ */ a4("section", { class: "foresight", "aria-label": m5.foreseen, "aria-busy": busy ? "true" : void 0, children: [
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    dry && /* @__PURE__ */ a4(Foreseen, { of: dry, zone, live })
  ] });
}
function Foreseen({ of: dry, zone, live }) {
  const m5 = say.value;
  const cancelled = dry.cancelled ?? [];
  const finishing = (live ?? []).filter((e4) => !cancelled.some((c4) => c4.n === e4.n));
  const moved = dry.changes.find((c4) => c4.field === "timezone");
  return /* @__PURE__ */ a4($, { children: [
    dry.created && /* @__PURE__ */ a4("p", { children: m5.wouldBeNew(dry.state) }),
    live?.length === 0 && /* @__PURE__ */ a4("p", { children: m5.nothingUnderWay }),
    cancelled.length > 0 && /* @__PURE__ */ a4("p", { class: "fault", children: m5.willBeCancelled(cancelled.length, workersOf(cancelled)) }),
    finishing.length > 0 && /* @__PURE__ */ a4("p", { children: m5.willFinish(finishing.length, workersOf(finishing)) }),
    !dry.created && /* @__PURE__ */ a4(Changes, { of: dry }),
    /* @__PURE__ */ a4(Times, { ...dry, zone: moved?.after ?? zone })
  ] });
}
var workersOf = (all) => all.map((e4) => e4.worker_id ? visible(e4.worker_id) : say.value.noWorkerYet).join(", ");
function Changes({ of: { changes } }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4(Table, { name: m5.changes, columns: m5.columns.changes, empty: changes.length === 0 && /* @__PURE__ */ a4("p", { children: m5.noChanges }), children: changes.map((c4) => /* @__PURE__ */ a4("tr", { children: [
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("code", { children: visible(c4.field) }) }),
    /* @__PURE__ */ a4("td", { children: shown2(c4.before) }),
    /* @__PURE__ */ a4("td", { children: c4.after === void 0 ? /* @__PURE__ */ a4("span", { class: "about", children: m5.dropped }) : shown2(c4.after) })
  ] }, c4.field)) });
}
var shown2 = (value) => value === void 0 || value === null ? "–" : visible(typeof value === "string" ? value : formatJson(value));
function Times({ before, after, created, state, zone }) {
  const m5 = say.value;
  if (after.length === 0) return before.length > 0 ? /* @__PURE__ */ a4("p", { class: "fault", children: state === "paused" ? m5.notDueUntilResume : m5.noLongerDue }) : null;
  const all = mergedTimes(created ? after : before, after);
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("h3", { children: m5.nextOccurrences }),
    /* @__PURE__ */ a4("ol", { class: "times", children: all.map((t4) => /* @__PURE__ */ a4("li", { class: t4.change, children: [
      /* @__PURE__ */ a4(When, { at: t4.at, zone, bare: true }),
      " ",
      t4.change === "new" && m5.newTime,
      t4.change === "lost" && m5.lostTime
    ] }, t4.at)) })
  ] });
}
var most = 5;
function mergedTimes(before, after) {
  const known = (list) => list.length < most ? Infinity : Date.parse(list[most - 1]);
  const lost2 = before.filter((at) => !after.includes(at) && Date.parse(at) <= known(after));
  const kept = after.map((at) => ({ at, change: !before.includes(at) && Date.parse(at) <= known(before) ? "new" : void 0 }));
  return [...kept, ...lost2.map((at) => ({ at, change: "lost" }))].sort((a5, b3) => Date.parse(a5.at) - Date.parse(b3.at));
}

// app/verbs.tsx
var verbs = ["pause", "resume", "trigger", "skip", "reset", "close", "remove"];
function takes({ status, inbox, closing }, verb) {
  const stopped = status === "pending" || status === "plan_error";
  switch (verb) {
    case "pause":
      return status !== "paused" && !stopped;
    case "resume":
      return status === "paused";
    case "reset":
      return stopped;
    case "trigger":
      return !stopped && !closing;
    case "skip":
      return !inbox && !closing;
    case "close":
      return !closing;
    case "remove":
      return true;
  }
}
var atOnce = ["resume", "trigger"];
function changeOf(verb, station, id, body = {}) {
  const path = ["plans", station, id];
  return verb === "remove" ? { method: "DELETE", path, body } : { method: "POST", path: [...path, verb], body };
}
async function carryOut(verb, station, id, body) {
  const m5 = say.value;
  const name = visible(`${station}/${id}`);
  const change = changeOf(verb, station, id, body);
  const { value } = await request(change.method, restPath(change.path), change.body);
  announce(verb === "trigger" && value.n ? m5.triggered(name, value.n) : m5.verbs[verb].done(name));
}
function Actions({ view, after }) {
  const m5 = say.value;
  const [asking2, ask] = d2();
  const { station = "", plan_id: id = "" } = view.plan;
  const there = session.operates.value ? verbs.filter((v5) => takes(view.state, v5)) : [];
  const begin = (verb) => {
    if (!there.includes(verb)) return;
    if (!atOnce.includes(verb)) return ask(verb);
    carryOut(verb, station, id, {}).then(after, (e4) => announce(problemText(e4)));
  };
  useShortcut("p", () => begin(there.includes("resume") ? "resume" : "pause"));
  useShortcut("t", () => begin("trigger"));
  useShortcut("e", () => session.operates.value && open(pageOf(["plans", station, id, "edit"])));
  if (!session.operates.value) return null;
  return /* @__PURE__ */ a4("div", { class: "actions", role: "group", "aria-label": m5.actions, children: [
    there.map((v5) => /* @__PURE__ */ a4("button", { type: "button", class: v5 === "remove" ? "danger" : void 0, onClick: () => begin(v5), children: m5.verbs[v5].name }, v5)),
    /* @__PURE__ */ a4("a", { class: "button", href: pageOf(["plans", station, id, "edit"]), children: m5.edit }),
    /* @__PURE__ */ a4("a", { class: "button", href: pageOf(["plans", "new"], { copy: `${station}/${id}` }), children: m5.copyPlan }),
    /* @__PURE__ */ a4("a", { class: "button", href: pageOf(["plans", "new"], { copy: `${station}/${id}`, once: "true" }), children: m5.runOnce }),
    asking2 && /* @__PURE__ */ a4(
      VerbDialog,
      {
        verb: asking2,
        view,
        close: () => ask(void 0),
        act: async (form) => {
          const note = String(form.get("note") ?? "");
          const count2 = form.has("count") ? Number(form.get("count")) : void 0;
          await carryOut(asking2, station, id, { ...note && { note }, ...count2 !== void 0 && { count: count2 } });
          after();
        }
      }
    )
  ] });
}
function VerbDialog({ verb, view, act, close }) {
  const m5 = say.value;
  const { station = "", plan_id: id = "" } = view.plan;
  const [count2, setCount] = d2("1");
  return /* @__PURE__ */ a4(Dialog, { title: `${m5.verbs[verb].name} ${visible(`${station}/${id}`)}`, verb: m5.verbs[verb].name, act, close, danger: verb === "remove", children: [
    /* @__PURE__ */ a4("p", { children: m5.verbs[verb].about }),
    verb === "skip" && /* @__PURE__ */ a4("label", { children: [
      /* @__PURE__ */ a4("span", { children: m5.howManySkips }),
      /* @__PURE__ */ a4("input", { name: "count", type: "number", min: "-1", step: "1", value: count2, onInput: (e4) => setCount(e4.currentTarget.value), required: true })
    ] }),
    (verb === "pause" || verb === "skip") && /* @__PURE__ */ a4("label", { children: [
      /* @__PURE__ */ a4("span", { children: m5.note }),
      /* @__PURE__ */ a4("input", { name: "note", maxLength: 512, autocomplete: "off" })
    ] }),
    /* @__PURE__ */ a4(Foresight, { of: changeOf(verb, station, id, verb === "skip" ? { count: Number(count2) } : {}), zone: view.plan.timezone, live: verb === "close" || verb === "remove" ? underWay(view) : void 0 })
  ] });
}
var underWay = (view) => (view.state.open ?? []).flatMap((o5) => o5.executions ?? []);
function CancelRun({ station, id, n: n3, after }) {
  const m5 = say.value;
  const [asking2, ask] = d2(false);
  const change = { method: "POST", path: ["plans", station, id, "runs", String(n3), "cancel"], body: {} };
  const act = async () => {
    await request(change.method, restPath(change.path), change.body);
    announce(m5.cancelled(n3));
    after();
  };
  return /* @__PURE__ */ a4($, { children: [
    /* @__PURE__ */ a4("button", { type: "button", class: "danger", onClick: () => ask(true), children: m5.cancelRun }),
    asking2 && /* @__PURE__ */ a4(Dialog, { title: `${m5.cancelRun} ${n3}`, verb: m5.cancelRun, act, close: () => ask(false), danger: true, children: [
      /* @__PURE__ */ a4("p", { children: m5.cancelAbout }),
      /* @__PURE__ */ a4(Foresight, { of: change })
    ] })
  ] });
}
function TriggerAgain({ station, id }) {
  const m5 = say.value;
  const act = async () => {
    try {
      const { value } = await request("POST", restPath(["plans", station, id, "trigger"]), {});
      announce(m5.triggered(visible(`${station}/${id}`), value.n));
      open(planPage(station, id));
    } catch (e4) {
      announce(problemText(e4));
    }
  };
  return /* @__PURE__ */ a4("button", { type: "button", onClick: () => void act(), children: m5.triggerAgain });
}

// app/filters.tsx
function Filters({ label, children }) {
  const apply = (form) => {
    const change = { cursor: [], before: [] };
    for (const control of form.elements) {
      if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) {
        if (control.name) change[control.name] = [];
      }
    }
    for (const [name, value] of new FormData(form)) if (value) (change[name] ??= []).push(String(value));
    open(withQuery(change), "filter");
  };
  return /* @__PURE__ */ a4(
    "form",
    {
      class: "filters",
      role: "search",
      "aria-label": label,
      onSubmit: (e4) => (e4.preventDefault(), apply(e4.currentTarget)),
      onChange: (e4) => apply(e4.currentTarget),
      children
    }
  );
}
function TextFilter({ name, label, type = "text" }) {
  const input = T2(null);
  const wanted = param(name);
  A2(() => {
    input.current.value = wanted;
  }, [wanted]);
  return /* @__PURE__ */ a4("label", { children: [
    /* @__PURE__ */ a4("span", { children: label }),
    /* @__PURE__ */ a4("input", { ref: input, name, type, list: void 0, "data-find": name === "text" ? "" : void 0, autocomplete: "off" })
  ] });
}
function ChoiceFilter({ name, label, values, any }) {
  const chosen = param(name);
  const all = chosen && !values.includes(chosen) ? [chosen, ...values] : values;
  return /* @__PURE__ */ a4("label", { children: [
    /* @__PURE__ */ a4("span", { children: label }),
    /* @__PURE__ */ a4("select", { name, value: chosen, children: [
      /* @__PURE__ */ a4("option", { value: "", selected: chosen === "", children: any }),
      all.map((v5) => /* @__PURE__ */ a4("option", { value: v5, selected: chosen === v5, children: visible(v5) }, v5))
    ] })
  ] });
}

// app/plan.tsx
var tabs = ["runs", "upcoming", "definition"];
function Plan({ station, id }) {
  const m5 = say.value;
  const [resource, again] = useResource(restPath(["plans", station, id]));
  const { data: view, refused, busy } = resource.value;
  const zone = view?.plan.timezone;
  const tab = tabs.find((t4) => t4 === param("tab")) ?? "runs";
  return /* @__PURE__ */ a4(Page, { title: visible(`${station}/${id}`), busy, aside: view && /* @__PURE__ */ a4(State, { of: view.state.status }), children: [
    view && /* @__PURE__ */ a4(Actions, { view, after: again }),
    refused && (refused.status === 404 ? /* @__PURE__ */ a4(Gone, { station, id }) : /* @__PURE__ */ a4(Refused, { by: refused })),
    view && /* @__PURE__ */ a4(Header, { view, zone }),
    /* @__PURE__ */ a4(Why, { station, id, zone }),
    view && (view.state.open?.length ?? 0) > 0 && /* @__PURE__ */ a4(Open, { view, zone, after: again }),
    /* @__PURE__ */ a4("nav", { class: "tabs", "aria-label": m5.parts, children: tabs.map((t4) => /* @__PURE__ */ a4("a", { href: planPage(station, id, { tab: t4 === "runs" ? void 0 : t4 }), "aria-current": t4 === tab ? "page" : void 0, children: m5.tabs[t4] }, t4)) }),
    tab === "runs" && /* @__PURE__ */ a4(RunsTab, { station, id, zone, gone: refused?.status === 404 }),
    tab === "upcoming" && view && /* @__PURE__ */ a4(Upcoming, { station, id, zone }),
    tab === "definition" && view && /* @__PURE__ */ a4(Definition, { plan: view.plan })
  ] });
}
function Gone({ station, id }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.noSuchPlan }),
    session.operates.value && /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: pageOf(["plans", "new"], { station, plan_id: id }), children: m5.makeIt }) })
  ] });
}
function Header({ view: { plan, state }, zone }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("dl", { class: "facts", children: [
    plan.description && /* @__PURE__ */ a4(Fact, { name: m5.fields.description, children: visible(String(plan.description)) }),
    /* @__PURE__ */ a4(Fact, { name: m5.columns.plans[2], children: /* @__PURE__ */ a4("code", { children: visible(scheduleOf(plan)) }) }),
    state.plan_time && state.status !== "paused" && /* @__PURE__ */ a4(Fact, { name: m5.nextDue, children: /* @__PURE__ */ a4(When, { at: state.plan_time, zone }) }),
    state.paused && /* @__PURE__ */ a4(Fact, { name: m5.pausedSince, children: [
      /* @__PURE__ */ a4(When, { at: state.paused.since, zone }),
      " ",
      state.paused.by && visible(state.paused.by),
      " ",
      state.paused.note && /* @__PURE__ */ a4("q", { children: visible(state.paused.note) })
    ] }),
    state.skip_next ? /* @__PURE__ */ a4(Fact, { name: m5.skipsLeft, children: state.skip_next === -1 ? m5.all : state.skip_next }) : null,
    /* @__PURE__ */ a4(Fact, { name: m5.executed, children: count(state.real_repet) }),
    /* @__PURE__ */ a4(Fact, { name: m5.skipped, children: count(state.skip_num) })
  ] });
}
function scheduleOf(plan) {
  const p5 = plan;
  return [p5.plan_type ?? "none", p5.cron ?? p5.plan_value, p5.timezone].filter((part) => part !== void 0).join(" ");
}
function Open({ view: { plan, state }, zone, after }) {
  const m5 = say.value;
  const station = String(plan.station), id = String(plan.plan_id);
  const rows = (state.open ?? []).flatMap(
    (o5) => (o5.executions ?? []).map((e4) => ({ ...e4, next_try: void 0 })).concat(o5.next_try ? [{ attempt: (o5.errors ?? 0) + 1, next_try: o5.next_try }] : [])
  );
  return /* @__PURE__ */ a4("section", { children: [
    /* @__PURE__ */ a4("h2", { children: m5.openExecutions }),
    /* @__PURE__ */ a4(Table, { name: m5.openExecutions, columns: session.operates.value ? [...m5.columns.open, m5.columns.act] : m5.columns.open, children: rows.map((e4, i4) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: e4.n ? /* @__PURE__ */ a4("a", { href: runPage(station, id, e4.n), children: e4.n }) : "–" }),
      /* @__PURE__ */ a4("td", { children: e4.attempt }),
      /* @__PURE__ */ a4("td", { children: e4.state ? /* @__PURE__ */ a4(State, { of: e4.state }) : /* @__PURE__ */ a4(State, { of: "retrying" }) }),
      /* @__PURE__ */ a4("td", { children: e4.worker_id && visible(e4.worker_id) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: e4.next_try ?? e4.deadline, zone }) }),
      session.operates.value && /* @__PURE__ */ a4("td", { children: e4.n && /* @__PURE__ */ a4(CancelRun, { station, id, n: e4.n, after }) })
    ] }, i4)) })
  ] });
}
var resultStates = ["ok", "error", "failure", "timeout", "skipped", "cancelled"];
function RunsTab({ station, id, zone, gone }) {
  const m5 = say.value;
  const query = { state: param("state"), cursor: param("cursor"), limit: param("limit") || "50" };
  const [resource] = useResource(restPath(["plans", station, id, "runs"], query), true);
  const { data, refused, busy } = resource.value;
  const all = data?.runs ?? [];
  const [runs, fresh, takeIn] = useSteady(all, (r4) => String(r4.n), m5.pages.runs);
  const [, draw] = d2(0);
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4(Filters, { label: m5.filterRuns, children: [
      /* @__PURE__ */ a4(ChoiceFilter, { name: "state", label: m5.filter.state, values: resultStates, any: m5.any }),
      /* @__PURE__ */ a4(RunBars, { bars: barsOfRuns(all) }),
      /* @__PURE__ */ a4(NewRows, { n: fresh, show: () => (takeIn(), draw((n3) => n3 + 1)) })
    ] }),
    refused && refused.status !== 404 && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(Runs, { runs, zone, busy, empty: gone ? /* @__PURE__ */ a4("p", { children: m5.noRunsKept }) : /* @__PURE__ */ a4(NoRuns, { station, id }) }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}
function NoRuns({ station, id }) {
  const m5 = say.value;
  if (param("state")) return /* @__PURE__ */ a4("div", { class: "empty", children: /* @__PURE__ */ a4("p", { children: [
    m5.noRunFits,
    " ",
    /* @__PURE__ */ a4("a", { href: withQuery({ state: void 0, cursor: void 0 }), children: m5.withoutFilters })
  ] }) });
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.noRuns }),
    /* @__PURE__ */ a4(Command, { children: `stationmaster plan runs ${station}/${id}` })
  ] });
}
function Upcoming({ station, id, zone }) {
  const [resource] = useResource(
    restPath(["plans", station, id, "upcoming"], { count: "20", with_skipped: "true", lang: lang.now.value })
  );
  const { data, refused, busy } = resource.value;
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(NextOccurrences, { of: data, zone, busy })
  ] });
}
function NextOccurrences({ of, zone, busy }) {
  const m5 = say.value;
  const list = of?.occurrences ?? [];
  return /* @__PURE__ */ a4($, { children: [
    of?.words && /* @__PURE__ */ a4("p", { class: "words", children: visible(of.words) }),
    /* @__PURE__ */ a4(
      Table,
      {
        name: m5.nextOccurrences,
        columns: m5.columns.next,
        busy,
        empty: list.length === 0 && of && /* @__PURE__ */ a4("div", { class: "empty", children: /* @__PURE__ */ a4("p", { children: of.reason ? m5.nothingComes(of.reason) : m5.nothingToCome }) }),
        children: list.map((o5) => /* @__PURE__ */ a4("tr", { class: o5.skipped ? "left-out" : void 0, children: [
          /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: o5.plan_time, zone }) }),
          /* @__PURE__ */ a4("td", { children: o5.local && /* @__PURE__ */ a4("time", { dateTime: o5.plan_time, children: [
            weekday(o5.local),
            " ",
            o5.local.slice(0, 10),
            " ",
            o5.local.slice(11, 19),
            " ",
            /* @__PURE__ */ a4("span", { class: "offset", children: o5.offset })
          ] }) }),
          /* @__PURE__ */ a4("td", { children: [
            o5.skipped && /* @__PURE__ */ a4($, { children: [
              /* @__PURE__ */ a4(State, { of: "skipped" }),
              " ",
              o5.reason,
              " "
            ] }),
            (o5.notes ?? []).map((n3) => /* @__PURE__ */ a4("div", { class: "about", children: visible(n3.text) }, n3.kind))
          ] })
        ] }, o5.plan_time))
      }
    )
  ] });
}
var weekday = (local) => new Intl.DateTimeFormat(lang.now.value, { weekday: "short", timeZone: "UTC" }).format(/* @__PURE__ */ new Date(local.slice(0, 10) + "T00:00:00Z"));
function Definition({ plan }) {
  const names2 = say.value.fields;
  return /* @__PURE__ */ a4("section", { class: "part", children: /* @__PURE__ */ a4("dl", { class: "facts", children: Object.entries(plan).map(([name, value]) => /* @__PURE__ */ a4(Fact, { name: /* @__PURE__ */ a4($, { children: [
    names2[name],
    " ",
    /* @__PURE__ */ a4("code", { children: visible(name) })
  ] }), children: /* @__PURE__ */ a4(Value, { of: value }) }, name)) }) });
}

// app/name.tsx
function PlanLink({ station, id }) {
  return /* @__PURE__ */ a4("a", { href: planPage(station, id), children: visible(`${station}/${id}`) });
}
function Labels({ of }) {
  return /* @__PURE__ */ a4($, { children: Object.entries(of ?? {}).map(([name, value]) => /* @__PURE__ */ a4("span", { class: "label", children: [
    visible(`${name}=${value}`),
    " "
  ] }, name)) });
}

// app/plans.tsx
var statuses = ["queued", "executing", "retrying", "paused", "pending", "plan_error"];
var waits = ["worker", "claim", "room", "turn", "retry", "jitter", "lock", "person", "resume"];
var planTypes = ["none", "time", "second", "minute", "hour", "day", "week", "month", "cron"];
var filters = ["text", "prefix", "station", "status", "waits", "plan_type", "labels", "caller", "tenant_id", "category", "due_from", "due_before", "order", "cursor", "limit"];
function listAddress() {
  const query = {};
  for (const name of filters) query[name] = place.value.searchParams.getAll(name);
  return restPath(["plans"], { ...query, fields: "brief", runs: "20", words: lang.now.value });
}
function Plans() {
  const m5 = say.value;
  const [resource] = useResource(listAddress(), true);
  const { data, refused, busy } = resource.value;
  const list = data?.plans ?? [];
  return /* @__PURE__ */ a4(Page, { title: m5.pages.plans, busy, aside: session.operates.value && /* @__PURE__ */ a4("a", { class: "button primary", href: pageOf(["plans", "new"]), children: m5.newPlan }), children: [
    /* @__PURE__ */ a4(Filters, { label: m5.filterPlans, children: [
      /* @__PURE__ */ a4(TextFilter, { name: "text", label: m5.filter.text, type: "search" }),
      /* @__PURE__ */ a4(TextFilter, { name: "station", label: m5.filter.station }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "status", label: m5.filter.status, values: statuses, any: m5.any }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "waits", label: m5.filter.waits, values: waits, any: m5.any }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "plan_type", label: m5.filter.plan_type, values: planTypes, any: m5.any }),
      /* @__PURE__ */ a4(TextFilter, { name: "labels", label: m5.filter.labels }),
      /* @__PURE__ */ a4(ChoiceFilter, { name: "order", label: m5.filter.order, values: ["due"], any: m5.byName })
    ] }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    /* @__PURE__ */ a4(Table, { listed: true, name: m5.pages.plans, columns: m5.columns.plans, busy, empty: list.length === 0 && !refused && /* @__PURE__ */ a4(NoPlans, {}), children: list.map((one) => /* @__PURE__ */ a4(Row, { ...one }, `${one.plan.station}/${one.plan.plan_id}`)) }),
    /* @__PURE__ */ a4(Paging, { next: data?.next })
  ] });
}
function Row({ plan, state, runs, words }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("tr", { children: [
    /* @__PURE__ */ a4("td", { children: [
      /* @__PURE__ */ a4(PlanLink, { station: plan.station, id: plan.plan_id }),
      plan.description && /* @__PURE__ */ a4("div", { class: "about", children: visible(plan.description) })
    ] }),
    /* @__PURE__ */ a4("td", { children: [
      /* @__PURE__ */ a4(State, { of: state.status }),
      state.waits && /* @__PURE__ */ a4("div", { class: "about", children: m5.waitsFor(state.waits.for) })
    ] }),
    /* @__PURE__ */ a4("td", { children: words && visible(words) }),
    /* @__PURE__ */ a4("td", { children: state.status !== "paused" && /* @__PURE__ */ a4(When, { at: state.plan_time, zone: plan.timezone }) }),
    /* @__PURE__ */ a4("td", { children: runs && /* @__PURE__ */ a4(RunBars, { bars: barsOf(runs) }) }),
    /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(Labels, { of: plan.labels }) })
  ] });
}
function NoPlans() {
  const m5 = say.value;
  const set = filters.filter((name) => param(name) && name !== "order" && name !== "limit");
  if (set.length > 0) {
    return /* @__PURE__ */ a4("div", { class: "empty", children: [
      /* @__PURE__ */ a4("p", { children: m5.noPlanFits(set.map((name) => `${name}=${visible(param(name))}`).join(" ")) }),
      /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: withQuery(Object.fromEntries(set.map((name) => [name, void 0]))), children: m5.withoutFilters }) })
    ] });
  }
  return /* @__PURE__ */ a4("div", { class: "empty", children: [
    /* @__PURE__ */ a4("p", { children: m5.noPlans }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster plan create --station hello --command greet --every 5s" }),
    /* @__PURE__ */ a4(Command, { children: `nats req plans.create '{"station":"hello","command":"greet","plan_type":"second","plan_value":5,"plan_repet":-1}'` }),
    /* @__PURE__ */ a4(Command, { children: "stationmaster work --station hello -- echo hello" }),
    session.operates.value && /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: pageOf(["plans", "new"], { station: "hello", command: "greet", plan_type: "cron", cron: "*/5 * * * *" }), children: m5.firstPlan }) })
  ] });
}

// app/fields.ts
var units = ["second", "minute", "hour", "day"];
var named = ["week", "month", "cron"];
var repeated = [...units, ...named];
var calendar = ["time", ...repeated];
var groups = [
  {
    name: "what",
    fields: [
      { name: "station", kind: "text", fixed: true },
      { name: "plan_id", kind: "text", fixed: true },
      { name: "command", kind: "text" },
      { name: "messages", kind: "json" },
      { name: "description", kind: "text" }
    ]
  },
  {
    name: "when",
    fields: [
      { name: "plan_type", kind: "choice", values: ["none", "time", ...units, ...named] },
      { name: "cron", kind: "text", types: ["cron"] },
      { name: "plan_value", kind: "number", types: [...units, "week", "month"] },
      { name: "plan_time", kind: "time", types: ["time", ...units, "week", "month"] },
      { name: "timezone", kind: "zone", types: ["time", ...repeated] },
      { name: "plan_repet", kind: "number", types: repeated },
      { name: "jitter", kind: "number", types: calendar },
      { name: "paused", kind: "yes" }
    ]
  },
  {
    name: "clock",
    fields: [
      { name: "start_at", kind: "time", types: repeated },
      { name: "end_at", kind: "time", types: repeated },
      { name: "exclude", kind: "list", types: calendar },
      { name: "only", kind: "list", types: calendar },
      { name: "excluded", kind: "choice", values: ["skip", "next", "previous"], types: calendar },
      { name: "clock_change.gap", kind: "choice", values: ["after", "before", "shift", "skip"], types: named },
      { name: "clock_change.overlap", kind: "choice", values: ["first", "second", "both"], types: named }
    ]
  },
  {
    name: "order",
    fields: [
      { name: "overlap", kind: "choice", values: ["skip", "queue", "cancel_prev", "parallel", "allow"] },
      { name: "failure", kind: "choice", values: ["run_new", "skip", "retry"] },
      { name: "max_concurrency", kind: "number" },
      { name: "concurrency", kind: "choice", values: ["queue", "skip", "parallel"] },
      { name: "catch_up", kind: "choice", values: ["none", "compact", "full"] },
      { name: "no_keep", kind: "yes" }
    ]
  },
  {
    name: "retries",
    fields: [
      { name: "retry.strategy", kind: "choice", values: ["none", "fixed_period", "sequence", "exponential"] },
      { name: "retry.interval", kind: "number" },
      { name: "retry.sequence", kind: "list" },
      { name: "retry.max_interval", kind: "number" },
      { name: "retry.max_error_count", kind: "number" },
      { name: "retry.jitter", kind: "number" },
      { name: "retry.need_manual", kind: "yes" },
      { name: "exec_timeout", kind: "number" },
      { name: "start_timeout", kind: "number" },
      { name: "on_unknown", kind: "choice", values: ["redo", "skip", "hold"] },
      { name: "on_failure", kind: "choice", values: ["halt", "settle"] }
    ]
  },
  {
    name: "workers",
    fields: [
      { name: "worker_ids", kind: "list" },
      { name: "worker_count", kind: "number" },
      { name: "priority", kind: "number" },
      { name: "voters", kind: "number" },
      { name: "quorum", kind: "number" },
      { name: "ping_interval_ms", kind: "number" },
      { name: "ping_timeout_ms", kind: "number" },
      { name: "max_unexpected_retries", kind: "number" },
      { name: "unexpected_retry_delay_ms", kind: "number" }
    ]
  },
  {
    name: "about",
    fields: [
      { name: "labels", kind: "json" },
      { name: "category", kind: "text" },
      { name: "tenant_id", kind: "text" },
      { name: "caller", kind: "text" },
      { name: "creator", kind: "text" },
      { name: "request_id", kind: "text" },
      { name: "log", kind: "choice", values: ["none", "trigger", "full"] },
      { name: "ext", kind: "json" }
    ]
  }
];
var fields = groups.flatMap((g5) => g5.fields);
var zoneOf = (typed) => typed.timezone || "UTC";
var keepsZone = (typed) => named.includes(typed.plan_type) || !!typed.exclude || !!typed.only;
var shows = (f5, typed) => !f5.types || f5.types.includes(typed.plan_type || "none");
function typedOf(plan) {
  const typed = {};
  const zone = typeof plan.timezone === "string" ? plan.timezone : "UTC";
  for (const f5 of fields) {
    const value = memberOf(plan, f5.name);
    if (value === void 0 || value === null) continue;
    typed[f5.name] = textOf(f5, value, zone);
  }
  return typed;
}
function memberOf(plan, name) {
  const [outer, inner] = name.split(".");
  const value = plan[outer];
  return inner === void 0 ? value : value?.[inner];
}
function textOf(f5, value, zone) {
  switch (f5.kind) {
    case "json":
      return formatJson(value, 1);
    case "list":
      return Array.isArray(value) ? value.join(", ") : String(value);
    case "time":
      return localInput(typeof value === "number" ? new Date(value * 1e3).toISOString() : String(value), zone);
    default:
      return String(value);
  }
}
function planOf(typed, faults, notJson) {
  const plan = {};
  for (const f5 of fields) {
    const text = (typed[f5.name] ?? "").trim();
    if (text === "" || !shows(f5, typed) || f5.name === "timezone" && !keepsZone(typed)) continue;
    try {
      put(plan, f5.name, valueOf(f5, text, zoneOf(typed)));
    } catch {
      faults[f5.name] = notJson;
    }
  }
  return plan;
}
function put(plan, name, value) {
  const [outer, inner] = name.split(".");
  if (inner === void 0) plan[outer] = value;
  else plan[outer] = { ...plan[outer], [inner]: value };
}
function valueOf(f5, text, zone) {
  const number = (t4) => Number.isNaN(Number(t4)) ? t4 : Number(t4);
  switch (f5.kind) {
    case "json":
      return parseJson(text);
    case "number":
      return number(text);
    case "list": {
      const all = text.split(/[,\n]/).map((t4) => t4.trim()).filter(Boolean);
      return f5.name === "retry.sequence" ? all.map(number) : all;
    }
    case "time":
      return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? instantOf(text, zone) : text;
    case "yes":
      return text === "true";
    default:
      return text;
  }
}

// app/sent.ts
var quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
function asCurl(method, address, body) {
  return `curl -X ${method} ${quoted(new URL(address, location.href).href)} \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(formatJson(body))}`;
}
var asNats = (subject, body) => `nats req ${subject} ${quoted(formatJson(body))}`;
var asYaml = (plan) => "plans:\n" + yamlOf(plan, "    ").replace("    ", "  - ");
function yamlOf(value, indent) {
  return Object.entries(value).map(([name, v5]) => `${indent}${plain(name)}:${behind(v5, indent)}
`).join("");
}
function behind(value, indent) {
  if (value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0) {
    return "\n" + yamlOf(value, indent + "  ").trimEnd();
  }
  return " " + (typeof value === "string" ? plain(value) : formatJson(value));
}
var plain = (text) => /^[A-Za-z_][\w./-]*$/.test(text) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(text) ? text : formatJson(text);

// app/form.tsx
function NewPlan() {
  const m5 = say.value;
  const [station, id] = param("copy").split("/");
  const [resource] = useResource(id ? restPath(["plans", station, id]) : void 0);
  const { data, refused, busy } = resource.value;
  return /* @__PURE__ */ a4(Page, { title: m5.newPlan, busy, children: [
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    session.operates.value ? !busy && /* @__PURE__ */ a4(NewForm, { from: data?.plan }) : /* @__PURE__ */ a4("p", { children: m5.onlyOperators })
  ] });
}
function NewForm({ from }) {
  const m5 = say.value;
  const [initial] = d2(() => {
    const typed = from ? typedOf(from) : {};
    delete typed.plan_id;
    if (param("once")) {
      for (const f5 of fields) if (f5.types || f5.name === "plan_type") delete typed[f5.name];
    }
    for (const f5 of fields) if (place.value.searchParams.has(f5.name)) typed[f5.name] = param(f5.name);
    if (typed.cron && !typed.plan_type) typed.plan_type = "cron";
    return typed;
  });
  const form = useForm(initial);
  const [reviewed, setReviewed] = d2();
  const create = async (plan) => {
    const { value } = await request("POST", restPath(["plans"]), plan);
    announce(m5.created(visible(`${value.station}/${value.plan_id}`)));
    open(planPage(value.station, value.plan_id));
  };
  const send = async (use) => {
    const plan = form.read();
    if (plan) await use(plan).catch(form.refuse);
  };
  const review = async (plan) => setReviewed({ sent: plan, dry: (await foresee({ method: "POST", path: ["plans"], body: plan })).value });
  return /* @__PURE__ */ a4("form", { class: "plan", noValidate: true, onSubmit: (e4) => (e4.preventDefault(), void send(create)), children: [
    /* @__PURE__ */ a4(Controls, { form }),
    /* @__PURE__ */ a4("div", { class: "beside", children: [
      /* @__PURE__ */ a4("div", { class: "buttons", children: [
        /* @__PURE__ */ a4("button", { type: "submit", class: "primary", children: m5.create }),
        /* @__PURE__ */ a4("button", { type: "button", onClick: () => void send(review), children: m5.review }),
        /* @__PURE__ */ a4("a", { class: "button", href: pageOf(["plans"]), children: m5.back })
      ] }),
      /* @__PURE__ */ a4(Problem, { form }),
      /* @__PURE__ */ a4(Preview, { plan: form.plan, zone: zoneOf(form.typed) }),
      /* @__PURE__ */ a4(Request, { method: "POST", address: restPath(["plans"]), subject: "plans.create", body: form.plan, yaml: form.plan })
    ] }),
    reviewed && /* @__PURE__ */ a4(
      Dialog,
      {
        title: m5.createTitle(visible([reviewed.sent.station, reviewed.sent.plan_id].filter(Boolean).join("/"))),
        verb: m5.create,
        act: () => form.orRefuse(create(reviewed.sent)),
        close: () => setReviewed(void 0),
        children: /* @__PURE__ */ a4(Foreseen, { of: reviewed.dry, zone: zoneOf(form.typed) })
      }
    )
  ] });
}
function EditPlan({ station, id }) {
  const m5 = say.value;
  const [resource] = useResource(restPath(["plans", station, id]));
  const { data, refused, busy, etag } = resource.value;
  const [begun, begin] = d2();
  A2(() => {
    if (data && !begun) begin({ plan: data.plan, etag });
  }, [data]);
  return /* @__PURE__ */ a4(Page, { title: m5.editTitle(visible(`${station}/${id}`)), busy, children: [
    refused && !begun && /* @__PURE__ */ a4(Refused, { by: refused }),
    !session.operates.value && /* @__PURE__ */ a4("p", { children: m5.onlyOperators }),
    session.operates.value && begun && /* @__PURE__ */ a4(EditForm, { station, id, ...begun })
  ] });
}
function changesOf(before, initial, plan) {
  const changes = {};
  const begun = planOf(initial, {}, "");
  for (const f5 of fields) {
    const is = memberOf(plan, f5.name);
    if (f5.fixed || f5.name === "paused" || formatJson(is ?? null) === formatJson(memberOf(begun, f5.name) ?? null)) continue;
    const [outer, inner] = f5.name.split(".");
    if (inner === void 0) changes[outer] = is ?? null;
    else changes[outer] = { ...changes[outer] ?? before[outer], ...plan[outer] };
    if (inner !== void 0 && is === void 0) delete changes[outer][inner];
  }
  for (const [name, value] of Object.entries(changes)) {
    if (value && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0) changes[name] = null;
  }
  return changes;
}
function EditForm({ station, id, plan: before, etag }) {
  const m5 = say.value;
  const [initial] = d2(() => typedOf(before));
  const form = useForm(initial);
  const [reviewed, setReviewed] = d2();
  const sent = changesOf(before, initial, form.plan);
  const path = ["plans", station, id];
  const save = async (changes) => {
    await request("PATCH", restPath(path), changes, { ifMatch: etag });
    announce(m5.saved(visible(`${station}/${id}`)));
    open(planPage(station, id));
  };
  const review = async () => {
    if (!form.read()) return;
    const asked3 = foresee({ method: "PATCH", path, body: sent }, { ifMatch: etag });
    await asked3.then((a5) => setReviewed({ sent, dry: a5.value })).catch(form.refuse);
  };
  return /* @__PURE__ */ a4("form", { class: "plan", noValidate: true, onSubmit: (e4) => (e4.preventDefault(), void review()), children: [
    /* @__PURE__ */ a4(Controls, { form, editing: true }),
    /* @__PURE__ */ a4("div", { class: "beside", children: [
      /* @__PURE__ */ a4("div", { class: "buttons", children: [
        /* @__PURE__ */ a4("button", { type: "submit", class: "primary", children: m5.review }),
        /* @__PURE__ */ a4("a", { class: "button", href: planPage(station, id), children: m5.back })
      ] }),
      /* @__PURE__ */ a4(Problem, { form }),
      /* @__PURE__ */ a4(Preview, { plan: form.plan, zone: zoneOf(form.typed) }),
      /* @__PURE__ */ a4(Request, { method: "PATCH", address: restPath(["plans", station, id]), subject: "plans.update", body: sent, nats: { station, plan_id: id, ...sent }, yaml: form.plan })
    ] }),
    reviewed && /* @__PURE__ */ a4(
      Dialog,
      {
        title: m5.changeTitle(visible(`${station}/${id}`)),
        verb: reviewed.dry.changes.length > 0 ? m5.save : void 0,
        act: () => form.orRefuse(save(reviewed.sent)),
        close: () => setReviewed(void 0),
        children: /* @__PURE__ */ a4(Foreseen, { of: reviewed.dry, zone: before.timezone })
      }
    )
  ] });
}
function useForm(initial) {
  const m5 = say.value;
  const [typed, setTyped] = d2(initial);
  const [faults, setFaults] = d2({});
  const [general, setGeneral] = d2("");
  const own = {};
  const plan = planOf(typed, own, m5.notJson);
  const refuse = (problem) => {
    if (!(problem instanceof Refusal)) return setGeneral(m5.connectionLost);
    const [byField, others] = spread(problem.errors, typed);
    setFaults(byField);
    setGeneral(others.length || Object.keys(byField).length === 0 ? others.join("; ") || problem.message : "");
    const first = fields.find((f5) => byField[f5.name]);
    if (first) focusFault(first.name);
  };
  return {
    typed,
    plan,
    faults: { ...faults, ...own },
    general,
    type(name, text) {
      setTyped({ ...typed, [name]: text });
      if (faults[name]) setFaults({ ...faults, [name]: "" });
    },
    read() {
      setGeneral("");
      setFaults({});
      if (Object.keys(own).length === 0) return plan;
      focusFault(Object.keys(own)[0]);
      return void 0;
    },
    refuse,
    orRefuse: (doing) => doing.catch((problem) => {
      refuse(problem);
      throw problem;
    })
  };
}
var focusFault = (name) => setTimeout(() => document.querySelector(`form.plan [name="${name}"]`)?.focus());
function spread(errors, typed) {
  const byField = {};
  const others = [];
  for (const e4 of errors) {
    const name = (e4.field ?? "").replace(/\[.*$/, "");
    const field = fields.find((f5) => f5.name === name) ?? fields.find((f5) => f5.name.split(".")[0] === name.split(".")[0]);
    if (field && shows(field, typed)) byField[field.name] ||= e4.message;
    else others.push(e4.message);
  }
  return [byField, others];
}
function Problem({ form }) {
  return form.general ? /* @__PURE__ */ a4("p", { class: "alert", role: "alert", children: visible(form.general) }) : null;
}
function Controls({ form, editing }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("div", { class: "controls", children: groups.map((g5) => {
    const all = g5.fields.filter((f5) => shows(f5, form.typed) && !(editing && f5.name === "paused"));
    if (all.length === 0) return null;
    const body = all.map((f5) => /* @__PURE__ */ a4(Control, { field: f5, form, fixed: editing && f5.fixed }, f5.name));
    if (g5.name === "what" || g5.name === "when") {
      return /* @__PURE__ */ a4("fieldset", { children: [
        /* @__PURE__ */ a4("legend", { children: m5.groups[g5.name] }),
        body
      ] }, g5.name);
    }
    const used = all.some((f5) => form.typed[f5.name] || form.faults[f5.name]);
    return /* @__PURE__ */ a4("details", { open: used, children: [
      /* @__PURE__ */ a4("summary", { children: m5.groups[g5.name] }),
      /* @__PURE__ */ a4("fieldset", { "aria-label": m5.groups[g5.name], children: body })
    ] }, g5.name);
  }) });
}
var zones = ["UTC", ...Intl.supportedValuesOf?.("timeZone") ?? []];
function Control({ field: f5, form, fixed }) {
  const m5 = say.value;
  const about = P2();
  const fault = form.faults[f5.name];
  const text = form.typed[f5.name] ?? "";
  const common = {
    name: f5.name,
    disabled: fixed,
    "aria-invalid": fault ? "true" : void 0,
    "aria-describedby": about,
    required: f5.name === "station" && !fixed ? true : void 0,
    onInput: (e4) => form.type(f5.name, e4.currentTarget.value)
  };
  const label = m5.fields[f5.name] ?? f5.name;
  const hint = m5.hints[f5.name];
  return /* @__PURE__ */ a4("div", { class: "control", children: [
    /* @__PURE__ */ a4("label", { for: about + "c", children: [
      label,
      " ",
      /* @__PURE__ */ a4("code", { children: f5.name })
    ] }),
    /* @__PURE__ */ a4(Input, { f: f5, id: about + "c", text, common }),
    /* @__PURE__ */ a4("p", { id: about, class: fault ? "fault" : "about", children: fault ? visible(fault) : f5.kind === "time" ? m5.inZone(zoneOf(form.typed)) : hint })
  ] });
}
function Input({ f: f5, id, text, common }) {
  const m5 = say.value;
  switch (f5.kind) {
    case "choice":
    case "yes":
    case "zone": {
      const values = f5.kind === "zone" ? zones : f5.kind === "yes" ? ["true", "false"] : f5.values;
      const all = text && !values.includes(text) ? [text, ...values] : values;
      return /* @__PURE__ */ a4("select", { id, ...common, value: text, children: [
        /* @__PURE__ */ a4("option", { value: "", children: m5.byDefault }),
        all.map((v5) => /* @__PURE__ */ a4("option", { value: v5, selected: v5 === text, children: visible(v5) }, v5))
      ] });
    }
    case "json":
      return /* @__PURE__ */ a4("textarea", { id, ...common, rows: f5.name === "messages" ? 4 : 2, value: text, spellcheck: false });
    case "time":
      return /* @__PURE__ */ a4("input", { id, ...common, type: "datetime-local", step: 1, value: text });
    case "number":
      return /* @__PURE__ */ a4("input", { id, ...common, inputMode: "decimal", value: text, autocomplete: "off" });
    default:
      return /* @__PURE__ */ a4("input", { id, ...common, value: text, autocomplete: "off", spellcheck: false });
  }
}
function Preview({ plan, zone }) {
  const m5 = say.value;
  const [shown3, show] = d2();
  const [fault, setFault] = d2("");
  const [busy, setBusy] = d2(true);
  const body = formatJson({ plan, count: 6, lang: lang.now.value, with_skipped: true });
  A2(() => {
    const round = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const sent = { plan: { station: "preview", command: "preview", ...plan }, count: 6, lang: lang.now.value, with_skipped: true };
        show((await request("POST", restPath(["plans", "preview"]), sent, { signal: round.signal })).value);
        setFault("");
      } catch (e4) {
        if (round.signal.aborted) return;
        setFault(e4 instanceof Refusal ? e4.message : "");
      }
      setBusy(false);
    }, 200);
    return () => (clearTimeout(timer), round.abort());
  }, [body]);
  return /* @__PURE__ */ a4("section", { "aria-label": m5.preview, "aria-busy": busy ? "true" : void 0, class: fault ? "stale" : void 0, children: [
    /* @__PURE__ */ a4("h2", { children: m5.preview }),
    fault && /* @__PURE__ */ a4("p", { class: "about", children: visible(fault) }),
    /* @__PURE__ */ a4(NextOccurrences, { of: fault ? void 0 : shown3, zone })
  ] });
}
function Request({ method, address, subject, body, nats = body, yaml }) {
  const m5 = say.value;
  return /* @__PURE__ */ a4("section", { "aria-label": m5.request, children: [
    /* @__PURE__ */ a4("h2", { children: m5.request }),
    /* @__PURE__ */ a4("h3", { children: "curl" }),
    /* @__PURE__ */ a4(Command, { children: asCurl(method, address, body) }),
    /* @__PURE__ */ a4("h3", { children: "nats req" }),
    /* @__PURE__ */ a4(Command, { children: asNats(subject, nats) }),
    /* @__PURE__ */ a4("h3", { children: "YAML" }),
    /* @__PURE__ */ a4(Command, { children: asYaml(yaml) })
  ] });
}

// app/run.tsx
var underWay2 = ["dispatched", "running", "waiting"];
function Run({ station, id, n: n3 }) {
  const m5 = say.value;
  const [resource, again] = useResource(restPath(["plans", station, id, "runs", n3]));
  const { data, refused, busy } = resource.value;
  const run = data?.run;
  const [plan] = useResource(restPath(["plans", station, id]));
  const zone = plan.value.data?.plan.timezone;
  return /* @__PURE__ */ a4(Page, { title: m5.runTitle(visible(`${station}/${id}`), visible(n3)), busy, aside: run && /* @__PURE__ */ a4(State, { of: run.state }), children: [
    /* @__PURE__ */ a4("p", { class: "crumbs", children: /* @__PURE__ */ a4(PlanLink, { station, id }) }),
    refused && /* @__PURE__ */ a4(Refused, { by: refused }),
    run && session.operates.value && /* @__PURE__ */ a4("div", { class: "actions", role: "group", "aria-label": m5.actions, children: [
      underWay2.includes(run.state) && /* @__PURE__ */ a4(CancelRun, { station, id, n: run.n, after: again }),
      /* @__PURE__ */ a4(TriggerAgain, { station, id })
    ] }),
    /* @__PURE__ */ a4(Why, { station, id, of: { n: n3 }, zone }),
    run && /* @__PURE__ */ a4(Facts2, { run, zone }),
    run && /* @__PURE__ */ a4(Attempts, { run, zone }),
    run && /* @__PURE__ */ a4(Contents, { run }),
    run && /* @__PURE__ */ a4("nav", { class: "paging", "aria-label": m5.paging, children: [
      run.n > 1 && /* @__PURE__ */ a4("a", { href: runPage(station, id, run.n - 1), children: m5.run(run.n - 1) }),
      /* @__PURE__ */ a4("a", { href: runPage(station, id, run.n + 1), children: m5.run(run.n + 1) })
    ] })
  ] });
}
function Facts2({ run, zone }) {
  const m5 = say.value;
  const steps2 = [
    { name: m5.steps.due, at: run.plan_time },
    { name: m5.steps.dispatched, at: run.exec_time },
    { name: m5.steps.ended, at: run.end_time }
  ].filter((s4) => s4.at);
  return /* @__PURE__ */ a4("ol", { class: "steps", "aria-label": m5.steps.all, children: steps2.map((s4, i4) => /* @__PURE__ */ a4("li", { children: [
    /* @__PURE__ */ a4("span", { class: "step", children: s4.name }),
    /* @__PURE__ */ a4(When, { at: s4.at, zone, bare: true }),
    i4 > 0 && /* @__PURE__ */ a4("small", { children: [
      "+",
      took(steps2[i4 - 1].at, s4.at)
    ] })
  ] }, s4.name)) });
}
function Attempts({ run, zone }) {
  const m5 = say.value;
  const [resource] = useResource(
    run.occurrence && run.attempt > 1 ? restPath(["plans", run.station, run.plan_id, "runs"], { limit: "100" }) : void 0
  );
  const same = (resource.value.data?.runs ?? []).filter((r4) => r4.occurrence === run.occurrence);
  if (same.length < 2) return null;
  return /* @__PURE__ */ a4("section", { class: "part", children: [
    /* @__PURE__ */ a4("h2", { children: m5.attempts }),
    /* @__PURE__ */ a4(Table, { name: m5.attempts, columns: m5.columns.attempts, children: same.map((r4) => /* @__PURE__ */ a4("tr", { children: [
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4("a", { href: runPage(r4.station, r4.plan_id, r4.n), children: r4.n }) }),
      /* @__PURE__ */ a4("td", { children: r4.attempt }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(State, { of: r4.state }) }),
      /* @__PURE__ */ a4("td", { children: /* @__PURE__ */ a4(When, { at: r4.exec_time, zone, bare: true }) }),
      /* @__PURE__ */ a4("td", { class: "number", children: took(r4.exec_time, r4.end_time) }),
      /* @__PURE__ */ a4("td", { children: r4.worker_id && visible(r4.worker_id) })
    ] }, r4.n)) })
  ] });
}
function Contents({ run }) {
  const m5 = say.value;
  const texts = [
    [m5.fields.command, run.command],
    [m5.occurrence, run.occurrence || m5.byHand],
    [m5.attempt, run.attempt],
    [m5.worker, run.worker_id],
    [m5.key, run.key],
    [m5.reason, run.reason],
    [m5.triggerOf, run.trigger],
    [m5.by, run.by],
    [m5.note, run.note],
    [m5.fields.request_id, run.request_id],
    [m5.fields.caller, run.caller],
    [m5.fields.tenant_id, run.tenant_id]
  ];
  const values = [
    [m5.error, run.error],
    [m5.content, run.content],
    [m5.fields.messages, run.messages],
    [m5.votes, run.votes],
    [m5.fields.ext, run.ext]
  ];
  return /* @__PURE__ */ a4("dl", { class: "facts", children: [
    texts.map(([name, text]) => text !== void 0 && text !== "" && /* @__PURE__ */ a4(Fact, { name, children: visible(String(text)) }, name)),
    run.labels && /* @__PURE__ */ a4(Fact, { name: m5.fields.labels, children: /* @__PURE__ */ a4(Labels, { of: run.labels }) }),
    values.map(([name, value]) => value !== void 0 && value !== null && /* @__PURE__ */ a4(Fact, { name, wide: true, children: /* @__PURE__ */ a4(Value, { of: value }) }, name))
  ] });
}

// app/app-pages.tsx
function App() {
  return /* @__PURE__ */ a4(Shell, { children: /* @__PURE__ */ a4(Content, {}) });
}
function Content() {
  const path = names.value;
  const [section, a5, b3, c4, d5] = path;
  if (section === "login" && path.length === 1) return /* @__PURE__ */ a4(Login, {});
  if (!session.current.value || session.current.value.role === "") return /* @__PURE__ */ a4(Elsewhere, { to: loginPage() });
  if (section === void 0) return /* @__PURE__ */ a4(Elsewhere, { to: pageOf(["plans"]) + place.value.search });
  if (section === "plans") {
    const key = `${a5}/${b3}/${d5}`;
    if (path.length === 1) return /* @__PURE__ */ a4(Plans, {});
    if (path.length === 2 && a5 === "new") return /* @__PURE__ */ a4(NewPlan, {}, place.value.search);
    if (path.length === 3) return /* @__PURE__ */ a4(Plan, { station: a5, id: b3 }, key);
    if (path.length === 4 && c4 === "edit") return /* @__PURE__ */ a4(EditPlan, { station: a5, id: b3 }, key);
    if (path.length === 5 && c4 === "runs") return /* @__PURE__ */ a4(Run, { station: a5, id: b3, n: d5 }, key);
  }
  return /* @__PURE__ */ a4(NotFound, {});
}
function Elsewhere({ to }) {
  A2(() => open(to, "replace"), [to]);
  return null;
}
function NotFound() {
  const m5 = say.value;
  return /* @__PURE__ */ a4(Page, { title: m5.notFound, children: [
    /* @__PURE__ */ a4("p", { children: m5.noSuchPage }),
    /* @__PURE__ */ a4("p", { children: /* @__PURE__ */ a4("a", { href: base + "/ui/plans", children: m5.pages.plans }) })
  ] });
}

// app/focus.ts
function keepFocus() {
  let holder;
  addEventListener("focusin", (e4) => holder = e4.target);
  addEventListener("focusout", (e4) => {
    const left = e4.target;
    queueMicrotask(() => left.isConnected && holder === left && (holder = void 0));
  });
  new MutationObserver(() => {
    if (!holder || holder.isConnected) return;
    holder = void 0;
    if (document.activeElement === document.body) document.querySelector("h1")?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}

// app/app.ts
followLinks();
keepFocus();
followKeys();
void session.find().then(() => Q(k(App, {}), document.body));
